import { contactJobs } from '../audiences/jobs.ts'
import { checkJobs } from '../checks/jobs.ts'
import { sendJobs } from '../emails/long-sends.ts'
import { jobs as readingJobs } from '../reading/jobs.ts'
import { bodyJobs } from '../server/long-bodies.ts'

/** All work of the thread of an instance. */
export const jobs: typeof readingJobs &
  typeof checkJobs &
  typeof sendJobs &
  typeof contactJobs &
  typeof bodyJobs = { ...readingJobs, ...checkJobs, ...sendJobs, ...contactJobs, ...bodyJobs }
