import type { Clock } from '../core/clock.ts'
import { LocalpostError } from '../core/errors.ts'
import { keepAlive } from '../core/keep-alive.ts'
import { emailCollection, hasArrived, type EmailRecord } from '../emails/email.ts'
import type { MailFilter } from '../search/query.ts'
import { cameAfter } from '../search/query-members.ts'
import type { Search } from '../search/search.ts'
import type { Store } from '../store/store.ts'

export interface WatchDeps {
  store: Store
  clock: Clock
  search: Pick<Search, 'matches' | 'fits'>
  /** The time for relative dates in queries. */
  now(): number
}

/** Which mails a watch looks for, and for how long. */
export interface Goal {
  filter: MailFilter
  after: Date | string | undefined
  timeoutMs: number
  signal?: AbortSignal | undefined
}

/** Looks for matching mails, those that exist and those that arrive. */
export interface Watches {
  /**
   * Calls back once for every match that exists or arrives, until one leads to the outcome. After a timeout, an abort or
   * `close`, it may still call back, without effect.
   *
   * @param decide  Returns the outcome for one match, or undefined to continue.
   * @param atEnd  Returns the outcome at the timeout.
   */
  watch<T>(goal: Goal, decide: (email: EmailRecord) => T | undefined, atEnd: () => Promise<T>): Promise<T>
  /** Ends every watch with `closed`. */
  close(): void
}

export function createWatches(deps: WatchDeps): Watches {
  const open = new Set<Pick<Watch<unknown>, 'fail'>>()
  return {
    async watch(goal, decide, atEnd) {
      goal.signal?.throwIfAborted()
      const watch = new Watch(goal, decide, deps)
      open.add(watch)
      try {
        return await watch.run(atEnd)
      } finally {
        open.delete(watch)
      }
    },
    close() {
      for (const watch of open)
        watch.fail(new LocalpostError('closed', 'The instance was closed during the wait.'))
    },
  }
}

/** One watch: it asks once for each match, until one leads to the outcome; see {@link Watches.watch}. */
class Watch<T> {
  readonly #goal: Goal
  readonly #decide: (email: EmailRecord) => T | undefined
  readonly #deps: WatchDeps
  readonly #isNew: NewMails
  readonly #asked = new Set<string>()
  readonly #outcome: Promise<T>
  /** Whether a mail led to the outcome. */
  #isDecided = false
  /** Both are set by the constructor. Only the first call of one of them has an effect. */
  #resolve: (outcome: T) => void = () => {}
  fail: (error: unknown) => void = () => {}

  constructor(goal: Goal, decide: (email: EmailRecord) => T | undefined, deps: WatchDeps) {
    this.#goal = goal
    this.#decide = decide
    this.#deps = deps
    this.#isNew = new NewMails(goal.after, deps)
    this.#outcome = new Promise<T>((resolve, reject) => {
      this.#resolve = resolve
      this.fail = reject
    })
    // If the wait ends by another error first, nothing awaits the outcome.
    this.#outcome.catch(() => {})
  }

  async run(atEnd: () => Promise<T>): Promise<T> {
    const { timeoutMs, signal } = this.#goal
    // Listening begins before the search, so that no mail is missed between the two.
    const stopListening = this.#listen()
    const onAbort = (): void => this.fail(signal?.reason)
    signal?.addEventListener('abort', onAbort)
    let cancel = (): void => {}
    try {
      const searched = this.#searchAll()
      searched.catch(this.fail)
      // The search of existing mail is finished first, even if the timeout is short.
      cancel = this.#deps.clock.after(timeoutMs, () => {
        searched.then(atEnd).then(this.#resolve, this.fail)
      })
      return await keepAlive(() => this.#outcome)
    } finally {
      stopListening()
      cancel()
      signal?.removeEventListener('abort', onAbort)
    }
  }

  #listen(): () => void {
    // After a bulk change, which does not name its mails.
    const searchAgain = coalesced(() => this.#searchAll())
    return this.#deps.store.changes(
      (change) => {
        if (change.op === 'remove') return
        if (change.op === 'gap' || change.op === 'bulk') {
          if (change.op === 'gap' || change.updated > 0) searchAgain().catch(this.fail)
          return
        }
        if (change.op === 'insert') this.#isNew.noteArrival(change.id)
        this.#consider(change.id).catch(this.fail)
      },
      { of: emailCollection },
    )
  }

  async #searchAll(): Promise<void> {
    const { filter, signal } = this.#goal
    for await (const email of this.#deps.search.matches(filter, { signal })) {
      if (!this.#isNew.has(email)) return
      if (hasArrived(email) && this.#ask(email)) return
    }
  }

  async #consider(id: string): Promise<void> {
    const { store, search } = this.#deps
    const { filter, signal } = this.#goal
    if (this.#asked.has(id)) return
    const email = await store.get(emailCollection, id)
    if (!email || !this.#isNew.has(email) || !hasArrived(email)) return
    if (await search.fits(email, filter, signal)) this.#ask(email)
  }

  /** @returns Whether this or another mail led to the outcome. */
  #ask(email: EmailRecord): boolean {
    if (this.#isDecided) return true
    if (this.#asked.has(email.id)) return false
    this.#asked.add(email.id)
    try {
      const outcome = this.#decide(email)
      if (outcome === undefined) return false
      this.#resolve(outcome)
    } catch (error) {
      this.fail(error)
    }
    return (this.#isDecided = true)
  }
}

/**
 * The mails that are new by the `after` of a watch; all of them without one.
 *
 * If instances share the store, the clock of another one may be behind, so that mail which arrives during the watch seems
 * to be older than an `after` in the past. It counts whatever its time is. A request over HTTP starts only after this
 * instance knows everything that others acknowledged before, so older mail does not count as an arrival.
 */
class NewMails {
  readonly #isAfter: (email: EmailRecord) => boolean
  readonly #takesArrivals: boolean
  readonly #arrivals = new Set<string>()

  constructor(after: Goal['after'], { store, now }: Pick<WatchDeps, 'store' | 'now'>) {
    this.#isAfter = after === undefined ? () => true : cameAfter(after)
    const isPast = typeof after === 'string' || (after !== undefined && after.getTime() <= now() + maxSkewMs)
    this.#takesArrivals = store.isShared && isPast
  }

  /** Call it for mail that was stored during the watch. */
  noteArrival(id: string): void {
    if (this.#takesArrivals) this.#arrivals.add(id)
  }

  has(email: EmailRecord): boolean {
    return this.#arrivals.has(email.id) || this.#isAfter(email)
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
