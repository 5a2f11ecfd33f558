import { noRoom } from './byte-budget.ts'
import type { Clock } from './clock.ts'

/** Runs a bounded number of jobs at once; the others wait in order of arrival. */
export interface JobQueue {
  /**
   * @param patienceMs  How long it may wait for a slot; `Infinity` for a job without a waiting caller.
   * @param signal  Ends the wait. A job that runs is not ended.
   * @throws service_unavailable when it waited that long, or when too many wait; the signal's reason.
   */
  run<T>(job: () => Promise<T>, patienceMs: number, signal?: AbortSignal): Promise<T>
}

export interface CountedQueue extends JobQueue {
  readonly waiting: number
}

/**
 * @param slots  How many run at once.
 * @param jobsName  For the error when `maxWaiting` others wait.
 */
export function createJobQueue(
  clock: Pick<Clock, 'after'>,
  slots: number,
  maxWaiting: number,
  jobsName = 'large requests',
): CountedQueue {
  let running = 0
  const waiting = new Set<() => void>()

  function turn(patienceMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (running < slots) {
      running++
      return Promise.resolve()
    }
    if (waiting.size >= maxWaiting) return Promise.reject(noRoom(`${waiting.size} other ${jobsName} wait.`))
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        cancel()
        waiting.delete(start)
        signal?.removeEventListener('abort', onAbort)
      }
      const start = (): void => {
        leave()
        resolve()
      }
      const onAbort = (): void => {
        leave()
        reject(signal?.reason)
      }
      const cancel = clock.after(patienceMs, () => {
        leave()
        reject(noRoom(`The request waited ${patienceMs / 1000} seconds for others.`))
      })
      signal?.addEventListener('abort', onAbort)
      waiting.add(start)
    })
  }

  return {
    get waiting() {
      return waiting.size
    },
    async run(job, patienceMs, signal) {
      await turn(patienceMs, signal)
      try {
        return await job()
      } finally {
        const [next] = waiting
        // The slot goes to the next job.
        if (next) next()
        else running--
      }
    },
  }
}
