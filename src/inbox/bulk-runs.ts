import { ownSignal } from '../core/own-signal.ts'
import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { noRoom } from '../core/byte-budget.ts'
import type { Ids } from '../core/ids.ts'
import { monotonicNow } from '../core/machine.ts'
import { type BulkBoard, isEnded, maxEnded } from './bulk-board.ts'
import type { BulkProgress } from './types.ts'
import { createSequence } from '../core/sequence.ts'

/** One change of many mails, while it runs. */
export interface BulkRun {
  /** Aborted when the change is cancelled. */
  readonly signal: AbortSignal
  /** Sets the number of selected mails, once it is known. */
  begin(total: number): void
  progress(done: number): void
}

/** The changes of many mails that wait or run, and the last that ended. */
export interface BulkRuns {
  /** Runs a change when those before it have ended. @throws service_unavailable when too many wait. */
  run<T>(
    kind: BulkProgress['change'],
    options: { signal?: AbortSignal; onProgress?(done: number, total: number): void },
    work: (run: BulkRun) => Promise<T>,
  ): Promise<T>
  /** Lists them, newest first. */
  list(): BulkProgress[]
  /** Cancels a change; mails that are done stay changed. A change that has ended is not affected. @throws not_found. */
  cancel(id: string): Promise<BulkProgress>
  /** Sets the function that is called with the progress of changes of more than 100 mails, several times a second. */
  onProgress(listener: (progress: BulkProgress) => void): void
  /** Cancels all changes, and waits until they have ended. */
  close(): Promise<void>
}

/** A change that began at this instance. */
interface OwnRun {
  progress: BulkProgress
  /** Cancels it. */
  abort: AbortController
  /** Aborted when it is cancelled, also by its caller. */
  signal: AbortSignal
}

/** @param board  Where instances that share a store publish their changes; null if only this process uses the store. */
export function createBulkRuns(ids: Ids, board: BulkBoard | null = null): BulkRuns {
  /** The changes of this instance that wait or run, and the last that ended; the oldest first. */
  let runs: OwnRun[] = []
  let listener: (progress: BulkProgress) => void = () => {}
  const inTurn = createSequence()
  let isClosed = false

  function tell(progress: BulkProgress): void {
    if (progress.total !== null && progress.total > maxUnreported) listener({ ...progress })
  }
  board?.onProgress(tell)

  /** The changes of all instances, newest first. */
  function list(): BulkProgress[] {
    const all = new Map(board?.list().map((progress) => [progress.id, progress]))
    for (const { progress } of runs) all.set(progress.id, { ...progress })
    const ended = [...all.values()].filter(isEnded).map(({ id }) => id)
    for (const id of ended.sort().slice(0, -maxEnded)) all.delete(id)
    return [...all.values()].sort((one, other) => (one.id < other.id ? 1 : -1))
  }

  function reporting(
    { progress, signal }: OwnRun,
    onProgress?: (done: number, total: number) => void,
  ): BulkRun {
    let toldAt = Number.NEGATIVE_INFINITY
    return {
      signal,
      begin(total) {
        progress.total = total
        tell(progress)
      },
      progress(done) {
        progress.done = done
        onProgress?.(done, progress.total ?? done)
        if (monotonicNow() - toldAt < tellMs) return
        toldAt = monotonicNow()
        tell(progress)
      },
    }
  }

  async function runNext<T>(
    run: OwnRun,
    added: Promise<void> | undefined,
    onProgress: ((done: number, total: number) => void) | undefined,
    work: (run: BulkRun) => Promise<T>,
  ): Promise<T> {
    const { progress, signal } = run
    try {
      await added
      await board?.waitForTurn(progress.id, signal)
      progress.state = 'running'
      const outcome = await work(reporting(run, onProgress))
      progress.state = signal.aborted ? 'cancelled' : 'done'
      return outcome
    } catch (error) {
      progress.state = 'failed'
      throw error
    } finally {
      await board?.end(progress.id)
      tell(progress)
      const forgotten = runs.filter(({ progress }) => isEnded(progress)).slice(0, -maxEnded)
      runs = runs.filter((one) => !forgotten.includes(one))
    }
  }

  return {
    async run(kind, { signal, onProgress }, work) {
      const waiting = list().filter((progress) => !isEnded(progress)).length
      if (waiting >= maxWaiting) throw noRoom(`${waiting} changes of many mails wait already.`)
      const abort = new AbortController()
      if (isClosed) abort.abort()
      const run: OwnRun = {
        progress: { id: ids.next('blk'), change: kind, state: 'waiting', done: 0, total: null },
        abort,
        signal: signal ? AbortSignal.any([abort.signal, ownSignal(signal)]) : abort.signal,
      }
      runs.push(run)
      const added = board?.add(run.progress, () => abort.abort())
      // It is waited for when those before it have ended.
      added?.catch(() => {})
      return inTurn(() => runNext(run, added, onProgress, work))
    },
    list,
    async cancel(id) {
      const run = runs.find(({ progress }) => progress.id === id)
      run?.abort.abort()
      const found = run ? { ...run.progress } : await board?.cancel(id)
      if (found) return found
      const message = `There is no bulk change ${quote(id)}. Only the last changes are kept.`
      throw new LocalpostError('not_found', message)
    },
    onProgress: (given) => void (listener = given),
    async close() {
      isClosed = true
      for (const { abort } of runs) abort.abort()
      await inTurn(async () => {})
    },
  }
}

/** Changes of so few mails end at once, and cause one event for each mail. */
const maxUnreported = 100
const tellMs = 100
const maxWaiting = 20
