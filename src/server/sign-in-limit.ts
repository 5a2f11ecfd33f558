import { LocalpostError } from '../core/errors.ts'
import { monotonicNow } from '../core/machine.ts'
import { networkOf } from '../net/addresses.ts'
import { createWindows, secondsLeft, type Window, type Windows } from '../net/windows.ts'

/** Slows down guessing of passwords, per address and per user. */
export interface SignInLimit {
  /**
   * Counts an attempt before the password is checked, so that many at once count too.
   *
   * @param name  As given; a name that does not exist counts like one that does. Default: none, for a sign-in with a provider.
   * @returns A function to call if the password was right: the attempt then does not count.
   * @throws rate_limit_exceeded with `Retry-After`, whether or not the password is right.
   */
  begin(address: string, name?: string): () => void
}

/** Allows 20 wrong passwords in a minute from one address, and 60 for one user: no single address can lock a user out. */
export function createSignInLimit(now: () => number = monotonicNow): SignInLimit {
  const addresses = createWindows()
  const names = createWindows()
  return {
    begin(address, name) {
      const at = now()
      const network = networkOf(address)
      const attempts = [countAttempt(addresses, network, { max: maxPerAddress, from: network, at })]
      // If this throws, the attempt still counts for its address, which is guessing too.
      if (name !== undefined)
        attempts.push(countAttempt(names, name, { max: maxPerName, from: 'several addresses', at }))
      return () => {
        for (const window of attempts) window.used--
      }
    },
  }
}

const windowMs = 60_000
const maxPerAddress = 20
const maxPerName = 60

/** @throws rate_limit_exceeded, and does not count the attempt, if there were too many. */
function countAttempt(
  windows: Windows,
  key: string,
  { max, from, at }: { max: number; from: string; at: number },
): Window {
  const window = windows.count(key, windowMs, at)
  if (window.used <= max) return window
  window.used--
  const seconds = secondsLeft(window, at)
  const message = `Too many sign-ins from ${from} failed. Wait ${seconds} s.`
  throw new LocalpostError('rate_limit_exceeded', message, { headers: { 'retry-after': String(seconds) } })
}
