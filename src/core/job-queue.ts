import { noRoom } from './byte-budget.ts'
import type { Clock } from './clock.ts'

/** Runs a bounded number of jobs at once; the others wait in order of arrival. */
export interface JobQueue {
  /**
   * @param patienceMs  How long it may wait for its turn; `Infinity` for a job without a waiting caller.
   * @throws service_unavailable when it waited that long, or when too many wait.
   */
  run<T>(job: () => Promise<T>, patienceMs: number): Promise<T>
}

/**
 * @param slots  How many run at once.
 * @param maxWaiting  How many may wait.
 */
export function createJobQueue(clock: Pick<Clock, 'after'>, slots: number, maxWaiting: number): JobQueue {
  let running = 0
  const waiting = new Set<() => void>()

  function turn(patienceMs: number): Promise<void> {
    if (running < slots) return Promise.resolve(void running++)
    if (waiting.size >= maxWaiting)
      return Promise.reject(noRoom(`${waiting.size} other large requests wait.`))
    return new Promise((resolve, reject) => {
      const start = (): void => {
        cancel()
        waiting.delete(start)
        resolve()
      }
      const cancel = clock.after(patienceMs, () => {
        waiting.delete(start)
        reject(noRoom(`The request waited ${patienceMs / 1000} seconds for others.`))
      })
      waiting.add(start)
    })
  }

  return {
    async run(job, patienceMs) {
      await turn(patienceMs)
      try {
        return await job()
      } finally {
        const [next] = waiting
        // The slot passes to the next.
        if (next) next()
        else running--
      }
    },
  }
}
