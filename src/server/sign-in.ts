import type { Middleware } from 'h3'
import { LocalpostError } from '../core/errors.ts'
import { createCheckedPasswords } from '../users/checked-passwords.ts'
import { toUser, type Users } from '../users/users.ts'
import type { KeyCheck } from './auth.ts'
import type { ClientAddresses } from './forwarded.ts'
import { stateOf } from './request-state.ts'
import { monotonicNow } from '../core/machine.ts'
import { createWindows, secondsLeft, type Window } from '../net/windows.ts'
import { networkOf } from '../net/addresses.ts'

/**
 * Signs in the user whose name and password a request has, for that request, at the paths of a face that takes them. An API
 * key in place of the password comes first.
 *
 * @param keys  The keys of all accounts.
 */
export function basicUsers(
  users: Users,
  keys: KeyCheck,
  limit: SignInLimit,
  addresses: ClientAddresses,
): Middleware {
  const passwords = createCheckedPasswords(users)
  return async (event, next) => {
    const state = stateOf(event)
    const given = state.face?.credentialsOf?.(event.req.headers) ?? null
    if (given === null || keys.scopeOf(given.password) !== null) return next()
    const { name, password } = given
    const refused = new LocalpostError('invalid_credentials', 'The user name or the password is wrong.', {
      headers: { 'www-authenticate': state.face?.key.challenge ?? '' },
    })
    const checked = await passwords.check(name, password, () => limit.begin(addresses.ipOf(event), name))
    if (!checked) throw refused
    state.signedIn = () => {
      const user = users.find(name)
      if (user?.hash !== checked.hash) throw refused
      return { user: toUser(user) }
    }
    return next()
  }
}

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

/**
 * Allows 20 wrong passwords in a minute from one address, and 60 for one user: no single address can lock a user out.
 */
export function createSignInLimit(now: () => number = monotonicNow): SignInLimit {
  const addresses = createWindows()
  const names = createWindows()

  function assertBelow(most: number, window: Window, at: number, from: string): void {
    if (window.used <= most) return
    window.used--
    const seconds = secondsLeft(window, at)
    throw new LocalpostError(
      'rate_limit_exceeded',
      `Too many sign-ins from ${from} failed. Wait ${seconds} s.`,
      { headers: { 'retry-after': String(seconds) } },
    )
  }

  return {
    begin(address, name) {
      const at = now()
      const network = networkOf(address)
      const ofAddress = addresses.count(network, windowMs, at)
      assertBelow(mostPerAddress, ofAddress, at, network)
      const ofName = name === undefined ? null : names.count(name, windowMs, at)
      if (ofName) assertBelow(maxPerUser, ofName, at, 'several addresses')
      return () => {
        ofAddress.used--
        if (ofName) ofName.used--
      }
    },
  }
}

const windowMs = 60_000
const mostPerAddress = 20
const maxPerUser = 60
