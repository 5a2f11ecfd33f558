import { serveJobs } from '../core/job-worker.ts'
import { jobs } from './jobs.ts'

serveJobs(jobs)
