import { createJobThread, type JobThread } from '../core/job-thread.ts'
import { jobs } from './jobs.ts'

/** The thread for long work of an instance; its accounts share it. */
export type InstanceThread = JobThread<typeof jobs>

/** The caller must close it. */
export function createInstanceThread(): InstanceThread {
  return createJobThread(jobs, new URL('./worker.ts', import.meta.url))
}
