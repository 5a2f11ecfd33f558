import { checkJobs } from '../checks/jobs.ts'
import { jobs as readingJobs } from '../reading/jobs.ts'

/** All work of the thread of an instance. */
export const jobs: typeof readingJobs & typeof checkJobs = { ...readingJobs, ...checkJobs }
