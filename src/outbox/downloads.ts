import type { Clock } from '../core/clock.ts'
import { isErrorOf, LocalpostError } from '../core/errors.ts'
import { createJobQueue } from '../core/job-queue.ts'

/**
 * Runs the jobs of emails with attachments from URLs. The accounts of an instance share it: until a message is stored, the
 * bytes of all its attachments are in memory, at most 40 MB.
 *
 * @throws attachment_failed when the job waited ten minutes for other jobs.
 */
export type Downloads = <T>(job: () => Promise<T>) => Promise<T>

/** @param clock  Measures how long an email waits. */
export function createDownloads(clock: Pick<Clock, 'after'>): Downloads {
  // The number of waiting jobs is limited by the outboxes: each works on a limited number of emails.
  const queue = createJobQueue(clock, 2, Number.POSITIVE_INFINITY)
  return async (job) => {
    let hasBegun = false
    const begin = (): ReturnType<typeof job> => {
      hasBegun = true
      return job()
    }
    try {
      return await queue.run(begin, patienceMs)
    } catch (cause) {
      if (hasBegun || !isErrorOf(cause, 'service_unavailable')) throw cause
      const minutes = patienceMs / 60_000
      const message = `The attachments of this email were not fetched: it waited ${minutes} minutes for those of other emails. Send it again when the servers of their URLs answer.`
      throw new LocalpostError('attachment_failed', message, { cause })
    }
  }
}

const patienceMs = 10 * 60_000
