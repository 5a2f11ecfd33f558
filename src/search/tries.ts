import { isErrorOf } from '../core/errors.ts'
import type { DigestReading } from '../reading/digest.ts'
import { unreadableReading, type Digests } from './digests.ts'

/** A reading that failed because of the store. */
export interface FailedTry {
  readonly error: unknown
  /** Whether the mail failed several times, so that other mails should be read first. */
  readonly isLast: boolean
}

/**
 * Makes a function that reads a mail and counts how often it failed. A mail that cannot be read for
 * another reason than the store counts as read, without text.
 */
export function createTries(
  digests: Pick<Digests, 'take'>,
): (...given: Parameters<Digests['take']>) => Promise<DigestReading | FailedTry> {
  const failed = new Map<string, number>()
  return async (email, message) => {
    try {
      const reading = await digests.take(email, message)
      failed.delete(email.id)
      return reading
    } catch (error) {
      const tries = (failed.get(email.id) ?? 0) + 1
      const isPassing = isErrorOf(error, ...passingFaults)
      const isLast = tries >= maxTries
      if (isPassing && !isLast) failed.set(email.id, tries)
      else failed.delete(email.id)
      return isPassing ? { error, isLast } : unreadableReading
    }
  }
}

/** Errors of the store that may be temporary. */
const passingFaults = [
  'store_failed',
  'store_read_only',
  'store_full',
  'service_unavailable',
  'closed',
] as const

const maxTries = 5
