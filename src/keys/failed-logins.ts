import type { Clock } from '../core/clock.ts'
import { LocalpostError } from '../core/errors.ts'
import { networkOf } from '../net/addresses.ts'
import { createWindows, secondsLeft } from '../net/windows.ts'

/**
 * Slows down guessing of API keys and passwords: counts wrong ones per address, over HTTP and SMTP together.
 * A valid one is accepted, whatever others at its address do.
 */
export interface FailedLogins {
  /**
   * Counts a wrong key or password.
   *
   * @returns The error to answer: the one given, or rate_limit_exceeded with `Retry-After` beyond 100 in a minute.
   */
  countFailure(address: string, error: LocalpostError): LocalpostError
}

export function createFailedLogins(clock: Pick<Clock, 'now'>): FailedLogins {
  const windows = createWindows()
  return {
    countFailure(address, error) {
      const now = clock.now()
      const name = networkOf(address)
      const window = windows.count(name, windowMs, now)
      if (window.used <= maxFailures) return error
      const seconds = secondsLeft(window, now)
      const message = `More than ${maxFailures} wrong API keys and passwords came from ${name} within a minute, and this one is wrong too. Use the right one, or wait ${seconds} s.`
      return new LocalpostError('rate_limit_exceeded', message, {
        headers: { 'retry-after': String(seconds) },
      })
    },
  }
}

const maxFailures = 100
/** The minute of the message. */
const windowMs = 60_000
