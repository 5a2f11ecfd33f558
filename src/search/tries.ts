import { isErrorOf } from '../core/errors.ts'
import type { EmailRecord } from '../emails/email.ts'
import type { Reading } from '../reading/digest.ts'
import { unreadable, type Digests } from './digests.ts'

/** A reading that failed because of the store. */
export interface FailedTry {
  readonly error: unknown
  /** Whether the same mail failed several times in a row, so that other mails should be read first. */
  readonly isLast: boolean
}

/**
 * Makes a function that reads a mail and counts how often in a row the same mail failed. A mail that cannot be read for
 * another reason than the store counts as read, without text.
 */
export function createTries(
  digests: Pick<Digests, 'take'>,
): (email: EmailRecord) => Promise<Reading | FailedTry> {
  let failing: { id: string; tries: number } | null = null
  return async (email) => {
    try {
      const reading = await digests.take(email)
      failing = null
      return reading
    } catch (error) {
      if (!isErrorOf(error, ...passingFaults)) return unreadable
      const tries = failing?.id === email.id ? failing.tries + 1 : 1
      failing = { id: email.id, tries }
      return { error, isLast: tries >= maxTries }
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
