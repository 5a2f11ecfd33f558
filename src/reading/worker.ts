import { serveJobs } from '../core/job-worker.ts'
import { jobs } from './jobs.ts'
import type { ReadingJobs } from './thread.ts'

serveJobs<ReadingJobs>(jobs)
