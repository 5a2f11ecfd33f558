import type { Clock } from '../core/clock.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import { LocalpostError, quote, validationError } from '../core/errors.ts'
import { keepAlive } from '../core/keep-alive.ts'
import { assertKnownOptions, assertWaitMs } from '../core/known-options.ts'
import type { Store } from '../store/store.ts'
import type { Search } from '../search/search.ts'
import { parseMailQuery } from '../search/query.ts'
import { assertAfter, isAfter, type MailQuery } from '../search/query-members.ts'
import { hasArrived, timeoutError, unexpectedMail, type Wanted } from './wait-errors.ts'

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

export interface WaitDeps {
  store: Store
  clock: Clock
  search: Pick<Search, 'matches' | 'fits'>
  /** The time for relative dates in queries. */
  now(): number
  /** The default timeout of `waitFor` and `waitForCount`, in milliseconds. */
  defaultTimeoutMs: number
  /** See {@link timeoutError}. */
  explain: Parameters<typeof timeoutError>[3]
}

export function createWaits({ store, clock, search, now, defaultTimeoutMs, explain }: WaitDeps): Waits {
  const pending = new Set<(error: LocalpostError) => void>()

  /**
   * Calls back once for every match that exists or arrives, until there is an outcome.
   *
   * @param decide  Returns the outcome for one match, or undefined to continue.
   * @param atEnd  Returns the outcome at the timeout.
   */
  async function watch<T>(
    { filter, after, timeoutMs, signal }: Wanted,
    decide: (email: EmailRecord) => T | undefined,
    atEnd: () => Promise<T>,
  ): Promise<T> {
    const { promise, resolve, reject } = withResolvers<T>()
    const isWanted = after === undefined ? () => true : isAfter(after)
    const isPast = typeof after === 'string' || (after !== undefined && after.getTime() <= now() + mostSkewMs)
    /** Mails stored since this wait began. They count whatever their time is: another instance's clock may be behind. */
    const arrivals = new Set<string>()
    const decided = new Set<string>()
    /** @returns Whether the match is the outcome. */
    const take = (email: EmailRecord): boolean => {
      if (decided.has(email.id)) return false
      decided.add(email.id)
      try {
        const outcome = decide(email)
        if (outcome === undefined) return false
        resolve(outcome)
      } catch (error) {
        reject(error)
      }
      return true
    }
    const consider = async (id: string): Promise<void> => {
      if (decided.has(id)) return
      const email = await store.get(emailCollection, id)
      if (!email || !(arrivals.has(id) || isWanted(email))) return
      if (hasArrived(email) && (await search.fits(email, filter, signal))) take(email)
    }
    const searchAll = async (): Promise<void> => {
      for await (const email of search.matches(filter, { signal })) {
        if (!isWanted(email)) return
        if (hasArrived(email) && take(email)) return
      }
    }
    // After a bulk change, which does not name its mails.
    const searchAgain = coalesced(searchAll)
    // Listening begins before the search, so that no mail is missed between the two. A request over HTTP starts only after
    // this instance knows everything that others acknowledged before, so older mail does not count as an arrival.
    const stop = store.changes(
      (change) => {
        if (change.op === 'remove') return
        if (change.op === 'gap' || change.op === 'bulk') {
          if (change.op === 'gap' || change.updated > 0) searchAgain().catch(reject)
          return
        }
        if (change.op === 'insert' && store.isShared && isPast) arrivals.add(change.id)
        consider(change.id).catch(reject)
      },
      { of: emailCollection },
    )
    let cancel = (): void => {}
    const onAbort = (): void => reject(signal?.reason)
    pending.add(reject)
    signal?.addEventListener('abort', onAbort)
    try {
      signal?.throwIfAborted()
      const searched = searchAll()
      searched.catch(reject)
      cancel = clock.after(timeoutMs, () => {
        // The search of existing mail is finished first, even if the timeout is short.
        searched.then(atEnd).then(resolve, reject)
      })
      return await keepAlive(() => promise)
    } finally {
      stop()
      cancel()
      pending.delete(reject)
      signal?.removeEventListener('abort', onAbort)
    }
  }

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
      return await watch(
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
      return await watch(
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
      await watch<null>(
        wanted,
        (email) => {
          throw unexpectedMail(query, email)
        },
        async () => null,
      )
    },
    close() {
      for (const reject of pending)
        reject(new LocalpostError('closed', 'The instance was closed during the wait.'))
    },
  }
}

const defaultQuietMs = 1000

/** By how much the clocks of instances that share a store may differ. */
const mostSkewMs = 60_000
/** The maximum number of mails that one wait may ask for. */
const maxCount = 500

/** Refuses what is no number of mails to wait for. @throws validation_error */
export function assertWaitCount(count: unknown): void {
  if (typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= maxCount) return
  const message = `must be a whole number from 1 to ${maxCount}, not ${quote(count)}`
  throw validationError([{ field: 'count', message }])
}

/** Runs work again after each call; calls that come while it runs share the next run. */
function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null
  let isAsked = false
  const run = async (): Promise<void> => {
    while (isAsked) {
      isAsked = false
      await work()
    }
    running = null
  }
  return () => {
    isAsked = true
    return (running ??= run())
  }
}

// Promise.withResolvers does not exist in Node 20.
function withResolvers<T>(): {
  promise: Promise<T>
  resolve: (value: T) => void
  reject: (error: unknown) => void
} {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue
    reject = onError
  })
  // If the search throws first, this promise is not awaited: avoid an unhandled rejection.
  promise.catch(() => {})
  return { promise, resolve, reject }
}
