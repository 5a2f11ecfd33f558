import type { Counts } from '../core/counts.ts'
import type { EmailRecord } from '../emails/email.ts'
import { validationError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { assertKnownOptions, assertWaitMs } from '../core/known-options.ts'
import { parseMailQuery } from '../search/query.ts'
import { assertAfter, type MailQuery } from '../search/query-members.ts'
import type { Details } from './detail.ts'
import { likelyCauses } from './missing-causes.ts'
import type { Missing } from './missing.ts'
import type { Mail } from './types.ts'
import { timeoutError, unexpectedMail, type Wanted } from './wait-errors.ts'
import { createWatches, type WatchDeps } from './watch.ts'

/** How long to wait, and for which mail. */
export interface WaitOptions {
  /** In milliseconds. Default: `waitTimeoutMs` of the instance. */
  timeoutMs?: number
  /** Only mail after this one (the id of a mail, which may be removed), or not before this time. */
  after?: Date | string
  /** Ends the wait; it then throws the signal's reason. */
  signal?: AbortSignal | undefined
}

/** Options of `expectNone`. */
export interface QuietOptions {
  /** How long nothing may arrive, in milliseconds. Default: 1,000. */
  timeoutMs?: number
  /** As in {@link WaitOptions}. Default: existing mail counts too. */
  after?: Date | string
  /** As in {@link WaitOptions}. */
  signal?: AbortSignal | undefined
}

export interface WaitDeps extends WatchDeps {
  details: Pick<Details, 'read'>
  missing: Missing
  /** The default timeout of `waitFor` and `waitForCount`, in milliseconds. */
  defaultTimeoutMs: number
  /** Counts the waits that are open. Default: nothing is counted. */
  counts?: Counts['waits'] | undefined
}

/** The waits of an inbox, as `Inbox` describes them. */
export interface Waits {
  waitFor(query?: MailQuery, options?: WaitOptions): Promise<Mail>
  waitForCount(query: MailQuery | undefined, count: number, options?: WaitOptions): Promise<Mail[]>
  expectNone(query?: MailQuery, options?: QuietOptions): Promise<void>
  /** Ends every wait with `closed`. */
  close(): void
}

export function createWaits({ details, missing, counts, defaultTimeoutMs, ...deps }: WaitDeps): Waits {
  const { store, now } = deps
  const watches = createWatches(deps)
  const open = new Set<Promise<unknown>>()

  function whileOpen<T>(wait: () => Promise<T>): Promise<T> {
    if (counts) counts.open++
    const promise = wait().finally(() => {
      if (counts) counts.open--
      // This runs after `open.add` below, because a promise calls back later even if it has ended already.
      open.delete(promise)
    })
    open.add(promise)
    return promise
  }

  /** @param method  For messages. */
  function wantedBy(
    query: MailQuery | undefined,
    options: WaitOptions,
    method: string,
    defaultMs: number = defaultTimeoutMs,
  ): Wanted {
    assertKnownOptions(options, ['timeoutMs', 'after', 'signal'], method)
    const { timeoutMs = defaultMs, after, signal } = options
    assertWaitMs('timeoutMs', timeoutMs)
    const filter = parseMailQuery(query, now())
    if (after !== undefined) assertAfter(after)
    return { query, filter, after, timeoutMs, signal, since: now() }
  }

  async function explain(to: string | undefined, since: Date | string): Promise<string> {
    const signal = AbortSignal.timeout(maxExplainMs)
    // The caller may have a key that sees only this account. The time-out is the error, whatever this finds.
    const found = await missing.explain({ to, since, signal }, { seesAccounts: false }).catch(() => null)
    return found === null ? '' : likelyCauses(found)
  }

  return {
    waitFor: (query, options = {}) =>
      whileOpen(async () => {
        const wanted = wantedBy(query, options, 'waitFor()')
        const onTimeout = async (): Promise<never> => {
          throw await timeoutError(store, wanted, 'No mail for', explain)
        }
        return details.read(await watches.watch(wanted, (email) => email, onTimeout), options.signal)
      }),
    waitForCount: (query, count, options = {}) =>
      whileOpen(async () => {
        const wanted = wantedBy(query, options, 'waitForCount()')
        assertWaitCount(count)
        const found: EmailRecord[] = []
        const add = (email: EmailRecord): EmailRecord[] | undefined =>
          found.push(email) < count ? undefined : found.sort((a, b) => (a.id < b.id ? 1 : -1))
        const onTimeout = async (): Promise<never> => {
          throw await timeoutError(store, wanted, `Only ${found.length} of ${count} mails for`, explain)
        }
        const mails: Mail[] = []
        // One after the other, so that many large messages are not parsed at once.
        for (const email of await watches.watch(wanted, add, onTimeout))
          mails.push(await details.read(email, options.signal))
        return mails
      }),
    expectNone: (query, options = {}) =>
      whileOpen(async () => {
        const wanted = wantedBy(query, options, 'expectNone()', defaultQuietMs)
        const refuse = (email: EmailRecord): never => {
          throw unexpectedMail(query, email)
        }
        await watches.watch<void>(wanted, refuse, async () => {})
      }),
    close() {
      // Node would report their failures as unhandled, and hide the error that ended the test. Callers that await them
      // still get it.
      for (const promise of open) promise.catch(() => {})
      watches.close()
    },
  }
}

/** How long a wait that timed out looks for the reason, in milliseconds. */
const maxExplainMs = 1000
const defaultQuietMs = 1000

/** How long a server waits for a caller at most, in milliseconds. */
export const longestWaitMs = 300_000

/** The maximum number of mails that one wait may ask for. */
const maxCount = 500

/** Refuses what is no number of mails to wait for. @throws validation_error */
export function assertWaitCount(count: unknown): void {
  if (typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= maxCount) return
  const message = `must be a whole number from 1 to ${maxCount}, not ${quote(count)}`
  throw validationError([{ field: 'count', message }])
}
