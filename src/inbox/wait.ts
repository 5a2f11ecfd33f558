import type { EmailRecord } from '../emails/email.ts'
import { quote, validationError } from '../core/errors.ts'
import { assertKnownOptions, assertWaitMs } from '../core/known-options.ts'
import { parseMailQuery } from '../search/query.ts'
import { assertAfter, type MailQuery } from '../search/query-members.ts'
import { timeoutError, unexpectedMail } from './wait-errors.ts'
import { createWatches, type Wanted, type WatchDeps } from './watch.ts'

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

/** Waits for mail to arrive. Closing the instance ends all waits. */
export interface Waits {
  /**
   * The newest match that already exists, otherwise the next match to arrive. A mail has arrived when its first delivery
   * was tried, or when it has failed permanently.
   *
   * @throws wait_timeout with the mails that came closest, invalid_query, closed.
   */
  waitFor(query: MailQuery | undefined, options?: WaitOptions): Promise<EmailRecord>
  /**
   * Waits until there are `count` matches, and returns them, newest first.
   *
   * @throws wait_timeout with the number of matches so far, invalid_query, validation_error, closed.
   */
  waitForCount(query: MailQuery | undefined, count: number, options?: WaitOptions): Promise<EmailRecord[]>
  /**
   * Resolves at the timeout if no match exists or arrives until then.
   *
   * @throws unexpected_mail as soon as there is a match, with the mail in the message; invalid_query, closed.
   */
  expectNone(query: MailQuery | undefined, options?: QuietOptions): Promise<void>
  /** Ends every wait with `closed`. */
  close(): void
}

export interface WaitDeps extends WatchDeps {
  /** The default timeout of `waitFor` and `waitForCount`, in milliseconds. */
  defaultTimeoutMs: number
  /** See {@link timeoutError}. */
  explain: Parameters<typeof timeoutError>[3]
}

export function createWaits({ store, clock, search, now, defaultTimeoutMs, explain }: WaitDeps): Waits {
  const watches = createWatches({ store, clock, search, now })

  /** @param of  The method, for messages. */
  function wantedBy(
    query: MailQuery | undefined,
    options: WaitOptions,
    of: string,
    defaultMs = defaultTimeoutMs,
  ): Wanted {
    assertKnownOptions(options, ['timeoutMs', 'after', 'signal'], of)
    const { timeoutMs = defaultMs, after, signal } = options
    assertWaitMs('timeoutMs', timeoutMs)
    const filter = parseMailQuery(query, now())
    if (after !== undefined) assertAfter(after)
    return { query, filter, after, timeoutMs, signal, since: now() }
  }

  return {
    async waitFor(query, options = {}) {
      const wanted = wantedBy(query, options, 'waitFor()')
      return await watches.watch(
        wanted,
        (email) => email,
        async () => {
          throw await timeoutError(store, wanted, 'No mail for', explain)
        },
      )
    },
    async waitForCount(query, count, options = {}) {
      const wanted = wantedBy(query, options, 'waitForCount()')
      assertWaitCount(count)
      const found: EmailRecord[] = []
      return await watches.watch(
        wanted,
        (email) => {
          found.push(email)
          if (found.length < count) return undefined
          return found.sort((a, b) => (a.id < b.id ? 1 : -1))
        },
        async () => {
          throw await timeoutError(store, wanted, `Only ${found.length} of ${count} mails for`, explain)
        },
      )
    },
    async expectNone(query, options = {}) {
      const wanted = wantedBy(query, options, 'expectNone()', defaultQuietMs)
      await watches.watch<null>(
        wanted,
        (email) => {
          throw unexpectedMail(query, email)
        },
        async () => null,
      )
    },
    close: () => watches.close(),
  }
}

const defaultQuietMs = 1000

/** The maximum number of mails that one wait may ask for. */
const maxCount = 500

/** Refuses what is no number of mails to wait for. @throws validation_error */
export function assertWaitCount(count: unknown): void {
  if (typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= maxCount) return
  const message = `must be a whole number from 1 to ${maxCount}, not ${quote(count)}`
  throw validationError([{ field: 'count', message }])
}
