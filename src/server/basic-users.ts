import type { Middleware } from 'h3'
import { LocalpostError } from '../core/errors.ts'
import { createCheckedPasswords } from '../users/checked-passwords.ts'
import { toUser, type Users } from '../users/users.ts'
import type { KeyCheck } from './auth.ts'
import type { ClientAddresses } from './forwarded.ts'
import { stateOf } from './request-state.ts'
import type { SignInLimit } from './sign-in-limit.ts'

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
