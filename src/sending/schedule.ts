import { isErrorOf } from '../core/errors.ts'
import { pagesOf } from '../store/repository.ts'
import { scheduledCollection, type ScheduledRecord } from './scheduled.ts'
import { commitScheduled, prepareScheduled, type Prepared, type SendScheduledDeps } from './send-scheduled.ts'

/** Sends scheduled emails when their time has come. */
export interface Schedule {
  /**
   * Makes a scheduled email an email, in one commit that removes the one and adds the other. So it is sent exactly once,
   * whatever stops this instance, and whichever instance is first.
   *
   * @returns The id of the email; null if it was sent, changed or cancelled meanwhile.
   */
  send(record: ScheduledRecord): Promise<string | null>
  /** Resolves when nothing that is due is being sent. */
  idle(): Promise<void>
  /** Sends no more, and waits for what is being sent. */
  close(): Promise<void>
}

export interface ScheduleDeps extends SendScheduledDeps {
  wakeOutbox(): void
  /** Called with errors; it tries again later. */
  onError(error: unknown): void
}

/** Begins to send what is due: at once, when scheduled emails change, and at each time that one has. */
export function startSchedule(deps: ScheduleDeps): Schedule {
  const { store, clock, ids, wakeOutbox, onError } = deps
  let isClosed = false
  let running: Promise<void> | null = null
  /** Whether something may have become due since the search began. */
  let isAsked = false
  let cancelTimer = (): void => {}
  let timerAt = Number.POSITIVE_INFINITY

  function wakeAt(time: number): void {
    const now = clock.now()
    // The clock of the machine may be set, and timers stand still while it sleeps, so no timer runs for long.
    const at = Math.min(time, now + longestWaitMs)
    // If the time has passed and its timer has not run, the clock was set.
    if (isClosed || time === Number.POSITIVE_INFINITY || (timerAt <= at && timerAt > now)) return
    cancelTimer()
    timerAt = at
    cancelTimer = clock.after(Math.max(at - now, 0), () => {
      timerAt = Number.POSITIVE_INFINITY
      begin()
    })
  }

  function begin(): void {
    isAsked = true
    if (isClosed || running || !store.leadership.isMine()) return
    running = run().finally(() => {
      running = null
      if (isAsked) begin()
    })
  }

  async function run(): Promise<void> {
    try {
      while (isAsked && mayGoOn()) {
        isAsked = false
        await sendDue()
      }
      const { records } = await store.page(scheduledCollection, { index: 'send_at', limit: 1 })
      wakeAt(records[0]?.send_at ?? Number.POSITIVE_INFINITY)
    } catch (error) {
      isAsked = false
      if (isErrorOf(error, 'closed')) return
      onError(error)
      wakeAt(clock.now() + retryMs)
    }
  }

  const mayGoOn = (): boolean => !isClosed && store.leadership.isMine()

  async function sendDue(): Promise<void> {
    const until: [number] = [clock.now()]
    const query = { index: 'send_at', until, limit: sliceSize }
    // One that fails, because its content is damaged for example, does not hold up the others.
    const failures: unknown[] = []
    for await (const records of pagesOf(store, scheduledCollection, query)) {
      const prepared: Prepared[] = []
      try {
        for (const record of records) {
          try {
            prepared.push(await prepareScheduled(store, record, ids.next('em')))
          } catch (error) {
            failures.push(error)
          }
        }
        if (!mayGoOn()) return
        // Begun together, so that they are stored together.
        for (const result of await Promise.allSettled(prepared.map((one) => commitScheduled(one, deps))))
          if (result.status === 'rejected') failures.push(result.reason)
      } finally {
        for (const one of prepared) await one.discard()
      }
      if (prepared.length > 0) wakeOutbox()
    }
    const [failure] = failures
    if (failure !== undefined) throw failure
  }

  const stopListening = store.changes(({ op }) => op !== 'remove' && begin(), { of: scheduledCollection })
  const stopWaiting = store.leadership.onMine(begin)
  begin()

  return {
    async send(record) {
      const prepared = await prepareScheduled(store, record, ids.next('em'))
      try {
        const id = await commitScheduled(prepared, deps)
        if (id !== null) wakeOutbox()
        return id
      } finally {
        await prepared.discard()
      }
    },
    async idle() {
      while (running) await running
    },
    async close() {
      isClosed = true
      cancelTimer()
      stopListening()
      stopWaiting()
      await running
    },
  }
}

const longestWaitMs = 60 * 1000
const retryMs = 10 * 1000
/** How many are sent at the same time. */
const sliceSize = 20
