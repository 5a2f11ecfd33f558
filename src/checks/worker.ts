import { serveJobs } from '../core/job-worker.ts'
import type { CheckJobs } from './thread.ts'
import { checkMail } from './run.ts'

serveJobs<CheckJobs>({ checks: async (...given) => checkMail(...given) })
