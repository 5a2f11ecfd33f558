import type { Clock } from '../core/clock.ts'
import { LocalpostError } from '../core/errors.ts'
import { networkOf } from '../net/addresses.ts'

/**
 * Slows down guessing of API keys and of the passwords of SMTP: counts wrong ones per address, over HTTP and SMTP together.
 * A valid one is accepted, whatever others at its address do.
 */
export interface FailedKeys {
  /**
   * Counts a wrong one.
   *
   * @param address  Where it came from; see {@link networkOf}.
   * @returns The error to answer: the one given, or rate_limit_exceeded with `Retry-After` beyond 100 in a minute.
   */
  count(address: string, error: LocalpostError): LocalpostError
}

export function createFailedKeys(clock: Pick<Clock, 'now'>): FailedKeys {
  const windows = new Map<string, { ends: number; failures: number }>()
  return {
    count(address, error) {
      const now = clock.now()
      const name = networkOf(address)
      let window = windows.get(name)
      if (!window || window.ends <= now) {
        windows.delete(name)
        // The oldest entry is dropped: an unlimited table would be an attack on memory.
        const [oldest] = windows.keys()
        if (windows.size >= maxAddresses && oldest !== undefined) windows.delete(oldest)
        window = { ends: now + windowMs, failures: 0 }
        windows.set(name, window)
      }
      if (++window.failures <= maxFailures) return error
      const seconds = Math.max(1, Math.ceil((window.ends - now) / 1000))
      const message = `More than ${maxFailures} wrong API keys and passwords came from ${name} within a minute, and this one is wrong too. Use the right one, or wait ${seconds} s.`
      return new LocalpostError('rate_limit_exceeded', message, {
        headers: { 'retry-after': String(seconds) },
      })
    },
  }
}

const windowMs = 60_000
const maxFailures = 100
const maxAddresses = 10_000
