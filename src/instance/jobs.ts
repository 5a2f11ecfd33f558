import { createJobThread, type JobThread } from '../core/job-thread.ts'
import { attachmentJobs } from '../attachments/reference.ts'
import { contactJobs } from '../audiences/jobs.ts'
import { checkJobs } from '../checks/run.ts'
import { clientSupportJobs } from '../client-support/preview.ts'
import { compareJobs } from '../compare/compare.ts'
import { answerJobs } from '../inbox/answered.ts'
import { headerJobs } from '../emails/header-facts.ts'
import { sendJobs } from '../sending/check-in-thread.ts'
import { translationJobs } from '../providers/translate.ts'
import { readingJobs } from '../reading/jobs.ts'
import { bodyJobs } from '../server/long-bodies.ts'
import { templateJobs } from '../templates/engines.ts'
import { messageJobs } from '../outbox/message-jobs.ts'

/** All jobs of the worker thread. */
export const jobs = {
  ...answerJobs,
  ...attachmentJobs,
  ...bodyJobs,
  ...checkJobs,
  ...clientSupportJobs,
  ...compareJobs,
  ...contactJobs,
  ...headerJobs,
  ...messageJobs,
  ...readingJobs,
  ...sendJobs,
  ...templateJobs,
  ...translationJobs,
}

/** The thread for long work of an instance; its accounts share it. */
export type InstanceThread = JobThread<typeof jobs>

/** The caller must close it. */
export function createInstanceThread(): InstanceThread {
  return createJobThread(jobs, new URL('./worker.ts', import.meta.url))
}
