import { isErrorOf } from '../core/errors.ts'
import { WakeTimer } from '../core/wake-timer.ts'
import { pagesOf } from '../store/repository.ts'
import { commitScheduled, prepareScheduled, type CommitDeps, type Prepared } from './send-scheduled.ts'
import { scheduledCollection, type ScheduledRecord } from './scheduled.ts'

export interface ScheduleDeps extends CommitDeps {
  wakeOutbox(): void
  /** Called with errors; it tries again later. */
  onError(error: unknown): void
}

const maxTimerMs = 60 * 1000
const retryMs = 10 * 1000
/** How many are sent at the same time. */
const sliceSize = 20

/** Sends scheduled emails that are due: at once, when scheduled emails change, and at each time that one has. */
export class Schedule {
  readonly #deps: ScheduleDeps
  readonly #stopListening: () => void
  #isClosed = false
  /** The search for what is due: one at a time. What is asked for meanwhile begins when it has ended. */
  #running: Promise<void> | null = null
  /** Whether something may have become due since the search began. */
  #isAsked = false
  /** Begins the next search, at the first time that an email has. Set when a search ends. */
  readonly #timer: WakeTimer

  constructor(deps: ScheduleDeps) {
    this.#deps = deps
    const { store, clock } = deps
    const begin = (): void => this.#begin()
    this.#timer = new WakeTimer(clock, begin)
    const stopChanges = store.changes(({ op }) => op !== 'remove' && begin(), { of: scheduledCollection })
    const stopLeadership = store.leadership.onMine(begin)
    this.#stopListening = () => {
      stopChanges()
      stopLeadership()
    }
    begin()
  }

  /**
   * Makes a scheduled email an email, in one commit that removes the one and adds the other. So it is sent exactly once,
   * whatever stops this instance, and whichever instance is first.
   *
   * @returns The id of the email; null if it was sent, changed or cancelled meanwhile.
   */
  async send(record: ScheduledRecord): Promise<string | null> {
    const { store, ids, wakeOutbox } = this.#deps
    const prepared = await prepareScheduled(store, record, ids.next('em'))
    try {
      const id = await commitScheduled(prepared, this.#deps)
      if (id !== null) wakeOutbox()
      return id
    } finally {
      await prepared.discard()
    }
  }

  /** Resolves when nothing that is due is being sent. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running
  }

  /** Sends no more, and waits for what is being sent. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#timer.close()
    this.#stopListening()
    await this.#running
  }

  #mayGoOn(): boolean {
    return !this.#isClosed && this.#deps.store.leadership.isMine()
  }

  #begin(): void {
    this.#isAsked = true
    if (this.#running || !this.#mayGoOn()) return
    this.#running = this.#run().finally(() => {
      this.#running = null
      if (this.#isAsked) this.#begin()
    })
  }

  async #run(): Promise<void> {
    const { store, clock, onError } = this.#deps
    try {
      while (this.#isAsked && this.#mayGoOn()) {
        this.#isAsked = false
        await this.#sendDue()
      }
      const { records } = await store.page(scheduledCollection, { index: 'send_at', limit: 1 })
      if (records[0]) this.#wakeAt(records[0].send_at)
    } catch (error) {
      this.#isAsked = false
      if (isErrorOf(error, 'closed')) return
      onError(error)
      this.#wakeAt(clock.now() + retryMs)
    }
  }

  #wakeAt(time: number): void {
    const now = this.#deps.clock.now()
    // The clock of the machine may be set, and timers stand still while it sleeps, so no timer runs for long. What is still due
    // waits for a timer too, so that other work runs between two searches.
    this.#timer.wakeAt(Math.min(Math.max(time, now + 1), now + maxTimerMs))
  }

  async #sendDue(): Promise<void> {
    const { store, clock } = this.#deps
    const until: [number] = [clock.now()]
    // One that fails, because its content is damaged for example, does not hold up the others.
    const failures: unknown[] = []
    const query = { index: 'send_at', until, limit: sliceSize }
    for await (const records of pagesOf(store, scheduledCollection, query)) {
      failures.push(...(await this.#sendSlice(records)))
      if (!this.#mayGoOn()) break
    }
    const [failure] = failures
    if (failure !== undefined) throw failure
  }

  /** @returns Why some were not sent. */
  async #sendSlice(records: readonly ScheduledRecord[]): Promise<unknown[]> {
    const { store, ids, wakeOutbox } = this.#deps
    const prepared: Prepared[] = []
    const failures: unknown[] = []
    try {
      for (const record of records)
        await prepareScheduled(store, record, ids.next('em')).then(
          (one) => prepared.push(one),
          (error: unknown) => failures.push(error),
        )
      if (!this.#mayGoOn()) return failures
      // Begun together, so that they are stored together.
      const results = await Promise.allSettled(prepared.map((one) => commitScheduled(one, this.#deps)))
      for (const result of results) if (result.status === 'rejected') failures.push(result.reason)
    } finally {
      for (const one of prepared) await one.discard()
    }
    if (prepared.length > 0) wakeOutbox()
    return failures
  }
}
