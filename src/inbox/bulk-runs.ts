import { LocalpostError, quote } from '../core/errors.ts'
import { noRoom } from '../core/byte-budget.ts'
import type { Ids } from '../core/ids.ts'
import { monotonicNow } from '../core/machine.ts'
import type { BulkProgress } from './types.ts'

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
  /**
   * Runs a change when those before it have ended.
   *
   * @throws service_unavailable when too many wait.
   */
  run<T>(
    change: BulkProgress['change'],
    options: { signal?: AbortSignal; onProgress?(done: number, total: number): void },
    work: (run: BulkRun) => Promise<T>,
  ): Promise<T>
  /** Lists them, the newest first. */
  list(): BulkProgress[]
  /** Cancels a change; mails that are done stay changed. A change that has ended is not affected. @throws not_found. */
  cancel(id: string): BulkProgress
  /** Sets the function that is called with the progress of changes of more than 100 mails, several times a second. */
  onProgress(listener: (progress: BulkProgress) => void): void
  /** Cancels all changes, and waits until they have ended. */
  close(): Promise<void>
}

interface Kept {
  progress: BulkProgress
  abort: AbortController
}

export function createBulkRuns(ids: Ids): BulkRuns {
  let kept: Kept[] = []
  let listener: (progress: BulkProgress) => void = () => {}
  let last: Promise<unknown> = Promise.resolve()
  let isClosed = false

  function tell({ progress }: Kept): void {
    if (progress.total !== null && progress.total > fewest) listener({ ...progress })
  }

  function runOf(one: Kept, onProgress?: (done: number, total: number) => void): BulkRun {
    const { progress, abort } = one
    let toldAt = Number.NEGATIVE_INFINITY
    return {
      signal: abort.signal,
      begin(total) {
        progress.total = total
        tell(one)
      },
      progress(done) {
        progress.done = done
        onProgress?.(done, progress.total ?? done)
        if (monotonicNow() - toldAt < tellMs) return
        toldAt = monotonicNow()
        tell(one)
      },
    }
  }

  async function runNext<T>(
    one: Kept,
    onProgress: ((done: number, total: number) => void) | undefined,
    work: (run: BulkRun) => Promise<T>,
  ): Promise<T> {
    const { progress, abort } = one
    try {
      progress.state = 'running'
      const outcome = await work(runOf(one, onProgress))
      progress.state = abort.signal.aborted ? 'cancelled' : 'done'
      return outcome
    } catch (error) {
      progress.state = 'failed'
      throw error
    } finally {
      tell(one)
      const ended = kept.filter(({ progress }) => isEnded(progress))
      kept = kept.filter((each) => !ended.slice(0, -mostEnded).includes(each))
    }
  }

  return {
    async run(change, { signal, onProgress }, work) {
      const waiting = kept.filter(({ progress }) => !isEnded(progress)).length
      if (waiting >= mostWaiting) throw noRoom(`${waiting} changes of many mails wait already.`)
      const abort = new AbortController()
      const one: Kept = {
        progress: { id: ids.next('blk'), change, state: 'waiting', done: 0, total: null },
        abort,
      }
      if (isClosed || signal?.aborted) abort.abort()
      const onAbort = (): void => abort.abort()
      signal?.addEventListener('abort', onAbort, { once: true })
      kept.push(one)
      const running = last.then(() => runNext(one, onProgress, work))
      last = running.catch(() => {})
      try {
        return await running
      } finally {
        signal?.removeEventListener('abort', onAbort)
      }
    },
    list: () => kept.map(({ progress }) => ({ ...progress })).reverse(),
    cancel(id) {
      const one = kept.find(({ progress }) => progress.id === id)
      if (!one) {
        const message = `There is no bulk change ${quote(id)}. Only the last changes are kept.`
        throw new LocalpostError('not_found', message)
      }
      one.abort.abort()
      return { ...one.progress }
    },
    onProgress: (given) => void (listener = given),
    async close() {
      isClosed = true
      for (const { abort } of kept) abort.abort()
      await last
    },
  }
}

/** Changes of so few mails end at once, and cause one event for each mail. */
const fewest = 100
const tellMs = 100
const mostWaiting = 20
const mostEnded = 20

function isEnded({ state }: BulkProgress): boolean {
  return state !== 'waiting' && state !== 'running'
}
