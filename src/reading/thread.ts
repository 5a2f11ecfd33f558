import type { Clock } from '../core/clock.ts'
import { createJobThread, type JobThread } from '../core/job-thread.ts'
import type { JobInputs, Readings } from './jobs.ts'

/** The work of the thread. */
export type ReadingJobs = {
  [Kind in keyof Readings]: { inputs: JobInputs[Kind]; result: Readings[Kind] }
}

/** A thread that reads large messages. */
export type ReadingThread = JobThread<ReadingJobs>

/** @param file  The module of the thread. Default: the built module next to this one. */
export function createReadingThread(
  clock: Pick<Clock, 'after'>,
  file: URL = new URL('./worker.ts', import.meta.url),
): ReadingThread {
  return createJobThread(clock, file)
}
