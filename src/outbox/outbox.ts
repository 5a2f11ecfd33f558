import { systemClock } from '../core/clock.ts'
import { isErrorOf } from '../core/errors.ts'
import { untilAborted } from '../core/until-aborted.ts'
import type { EmailType } from '../emails/types.ts'
import { attempt, type AttemptDeps } from './attempt.ts'
import { createFindDue } from './due.ts'
import { createQueue, type Lane, waitAfterErrors } from './queue.ts'

/** Delivers accepted emails: writes each message, sends it, and records the outcome. */
export interface Outbox {
  /** Starts a search for due emails. Called once for each new email; cheap while a search is running. */
  wake(): void
  /**
   * Resolves when no email is due or being delivered. Retries that are due later do not count. Where another instance
   * delivers, only what this one had begun is waited for.
   */
  idle(): Promise<void>
  /** Starts no more deliveries and waits up to three seconds for the running ones. The rest continues at the next start. */
  close(): Promise<void>
}

/** `capture` and `relay` belong to the outbox from then on: its `close` closes them. */
export interface OutboxDeps extends Omit<AttemptDeps, 'isClosed'> {}

/** Makes an outbox, which begins with the first `wake`. */
export function createOutbox(deps: OutboxDeps): Outbox {
  const { store, clock, retryDelaysMs } = deps
  const closing = new AbortController()
  /** How many times in a row the outcome of an email could not be stored, in the order of their last failure. */
  const errorCounts = new Map<string, number>()

  /** @returns How long to wait before the next try, in milliseconds. */
  function waitAfterError(id: string): number {
    const errors = (errorCounts.get(id) ?? 0) + 1
    errorCounts.delete(id)
    errorCounts.set(id, errors)
    // Emails that another instance delivers or that were removed would stay.
    const [oldest] = errorCounts.keys()
    if (errorCounts.size > maxCounted && oldest !== undefined) errorCounts.delete(oldest)
    return waitAfterErrors(errors)
  }

  async function waitFor(ms: number): Promise<void> {
    let cancel = (): void => {}
    const wait = new Promise<void>((resolve) => (cancel = clock.after(ms, resolve)))
    await untilAborted(wait, closing.signal).catch(cancel)
  }

  // An error thrown by `onError` must not stop other deliveries.
  const report = (error: unknown): void => {
    if (isErrorOf(error, 'closed')) return
    try {
      deps.onError(error)
    } catch {}
  }
  const laneOf = (type: EmailType, places: number): Lane => ({
    findDue: createFindDue(type, { store, clock, retryDelaysMs }),
    places,
  })
  const mayBegin = (): boolean => store.leadership.isMine()
  // Another instance may have taken over: then work in progress here must not be sent.
  const work: AttemptDeps = {
    ...deps,
    onError: report,
    isClosed: () => closing.signal.aborted || !mayBegin(),
  }
  const queue = createQueue({
    clock,
    mayBegin,
    lanes: [laneOf('transactional', maxUnderWay), laneOf('broadcast', maxUnderWay - reservedPlaces)],
    async run(id, pause) {
      try {
        // While attachments are loaded the place is free, so that a slow server delays no other mail.
        const due = await attempt(id, work, pause)
        errorCounts.delete(id)
        return due
      } catch (error) {
        if (isErrorOf(error, 'closed')) return null
        // The outcome could not be stored: the email stays due, and is tried again later.
        report(error)
        pause(true)
        await waitFor(waitAfterError(id))
        return clock.now()
      }
    },
    onError: report,
  })

  return {
    wake: queue.wake,
    idle: queue.idle,
    async close() {
      closing.abort()
      // By the machine's clock, because a test's clock may be stopped.
      const grace = new Promise<void>((resolve) => systemClock.after(closeGraceMs, resolve))
      await Promise.race([queue.close(), grace])
      deps.capture.close()
      deps.relay?.close()
    },
  }
}

/** How many emails are delivered at the same time: enough to keep the connections busy while other emails are composed. */
const maxUnderWay = 16
/** How many of these places broadcasts never take. */
const reservedPlaces = 4
/** Of how many emails errors are counted. */
const maxCounted = 1000
/** How long `close` waits for deliveries, so that a server that hangs does not block the shutdown. */
const closeGraceMs = 3000
