import { LocalpostError } from '../core/errors.ts'
import { monotonicNow } from '../core/machine.ts'
import { networkOf } from '../net/addresses.ts'

/** Slows down guessing of passwords, per address and per user. */
export interface SignInLimit {
  /**
   * Counts an attempt before the password is checked, so that many at once count too.
   *
   * @param name  As given; a name that does not exist counts like one that does. null for a sign-in with a provider.
   * @returns A function to call if the password was right: the attempt then does not count.
   * @throws rate_limit_exceeded with `Retry-After`, whether or not the password is right.
   */
  begin(address: string, name: string | null): () => void
}

/**
 * Allows 20 wrong passwords in a minute from one address, and 60 for one user: no single address can lock a user out.
 *
 * @param now  Monotonic time in milliseconds. Default: the machine's.
 */
export function createSignInLimit(now: () => number = monotonicNow): SignInLimit {
  const addresses = createWindows(20, now)
  const names = createWindows(60, now)
  return {
    begin(address, name) {
      const network = networkOf(address)
      const counts = [addresses.count(network, network)]
      if (name !== null) counts.push(names.count(name, 'several addresses'))
      return () => {
        for (const count of counts) count.failures--
      }
    },
  }
}

interface Window {
  ends: number
  failures: number
}

function createWindows(
  most: number,
  now: () => number,
): { count(name: string, from: string): Pick<Window, 'failures'> } {
  const windows = new Map<string, Window>()
  return {
    count(name, from) {
      const at = now()
      let window = windows.get(name)
      if (!window || window.ends <= at) {
        windows.delete(name)
        // The oldest entry is dropped: an unlimited table would be an attack on memory.
        const [oldest] = windows.keys()
        if (windows.size >= maxWindows && oldest !== undefined) windows.delete(oldest)
        window = { ends: at + windowMs, failures: 0 }
        windows.set(name, window)
      }
      if (window.failures >= most) {
        const seconds = Math.max(1, Math.ceil((window.ends - at) / 1000))
        throw new LocalpostError(
          'rate_limit_exceeded',
          `Too many sign-ins from ${from} failed. Wait ${seconds} s.`,
          { headers: { 'retry-after': String(seconds) } },
        )
      }
      window.failures++
      return window
    },
  }
}

const windowMs = 60_000
const maxWindows = 10_000
