import type { Clock } from '../core/clock.ts'
import { LocalpostError } from '../core/errors.ts'
import { keepAlive } from '../core/keep-alive.ts'
import { emailCollection, hasArrived, type EmailRecord } from '../emails/email.ts'
import type { MailFilter } from '../search/query.ts'
import { cameAfter, type MailQuery } from '../search/query-members.ts'
import type { Search } from '../search/search.ts'
import type { Store } from '../store/store.ts'

export interface WatchDeps {
  store: Store
  clock: Clock
  search: Pick<Search, 'matches' | 'fits'>
  /** The time for relative dates in queries. */
  now(): number
}

/** The goal of a wait. */
export interface Wanted {
  query: MailQuery | undefined
  filter: MailFilter
  after: Date | string | undefined
  timeoutMs: number
  signal?: AbortSignal | undefined
  /** When the wait began: Unix time in milliseconds. */
  since: number
}

/** Looks for matching mails, those that exist and those that arrive. */
export interface Watches {
  /**
   * Calls back once for every match that exists or arrives, until there is an outcome.
   *
   * @param decide  Returns the outcome for one match, or undefined to continue.
   * @param atEnd  Returns the outcome at the timeout.
   */
  watch<T>(wanted: Wanted, decide: (email: EmailRecord) => T | undefined, atEnd: () => Promise<T>): Promise<T>
  /** Ends every watch with `closed`. */
  close(): void
}

export function createWatches({ store, clock, search, now }: WatchDeps): Watches {
  const pending = new Set<(error: LocalpostError) => void>()

  async function watch<T>(
    { filter, after, timeoutMs, signal }: Wanted,
    decide: (email: EmailRecord) => T | undefined,
    atEnd: () => Promise<T>,
  ): Promise<T> {
    let resolve: (value: T) => void = () => {}
    let reject: (error: unknown) => void = () => {}
    const promise = new Promise<T>((...outcomes) => ([resolve, reject] = outcomes))
    // If the search throws first, this promise is not awaited: avoid an unhandled rejection.
    promise.catch(() => {})
    const isWanted = after === undefined ? () => true : cameAfter(after)
    const isPast = typeof after === 'string' || (after !== undefined && after.getTime() <= now() + maxSkewMs)
    /** Mails stored since this wait began. They count whatever their time is: another instance's clock may be behind. */
    const arrivals = new Set<string>()
    const decided = new Set<string>()
    /** @returns Whether the match is the outcome. */
    const decideOnce = (email: EmailRecord): boolean => {
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
      if (hasArrived(email) && (await search.fits(email, filter, signal))) decideOnce(email)
    }
    const searchAll = async (): Promise<void> => {
      for await (const email of search.matches(filter, { signal })) {
        if (!isWanted(email)) return
        if (hasArrived(email) && decideOnce(email)) return
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

  return {
    watch,
    close() {
      for (const reject of pending)
        reject(new LocalpostError('closed', 'The instance was closed during the wait.'))
    },
  }
}

/** By how much the clocks of instances that share a store may differ. */
const maxSkewMs = 60_000

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
