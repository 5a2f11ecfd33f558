import { attachmentJobs } from '../attachments/attachments.ts'
import { checkJobs } from '../checks/jobs.ts'
import { clientSupportJobs } from '../client-support/jobs.ts'
import { compareJobs } from '../compare/compare.ts'
import { headerJobs } from '../emails/header-jobs.ts'
import { jobs as readingJobs } from '../reading/jobs.ts'

/** All work of the thread of an instance. */
export const jobs: typeof attachmentJobs &
  typeof checkJobs &
  typeof clientSupportJobs &
  typeof compareJobs &
  typeof headerJobs &
  typeof readingJobs = {
  ...attachmentJobs,
  ...checkJobs,
  ...clientSupportJobs,
  ...compareJobs,
  ...headerJobs,
  ...readingJobs,
}
