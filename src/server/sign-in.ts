import { z } from 'zod'
import { LocalpostError } from '../core/errors.ts'
import type { OidcSignIn } from '../oidc/sign-in.ts'
import { passwordLimits } from '../users/password.ts'
import type { SessionOwner, SignedIn } from '../users/sessions.ts'
import type { Users } from '../users/users.ts'
import { type KeyCheck, insufficientScope, scopeMeets } from './auth.ts'
import type { SessionState } from './schema.ts'
import type { SignInLimit } from './sign-in-limit.ts'

/** What one gives to sign in at the page. */
export const signInSchema = z.union([
  z.strictObject({ key: z.string().min(1) }),
  z.strictObject({
    name: z.string().min(1).max(100),
    password: z.string().min(1).max(passwordLimits.maxBytes),
  }),
])

/** The rules of signing in at the page. */
export interface SignIn {
  /** Who calls: a user who is signed in, else the machine itself, else the key of the session, else no one. */
  stateOf(owner: SessionOwner | null, isLocal: () => boolean): SessionState
  /**
   * Checks what was given. Wrong passwords are counted here, wrong keys where the error is answered, as on every route.
   *
   * @param ip  The address of the caller.
   * @throws invalid_api_key, invalid_credentials, insufficient_scope, rate_limit_exceeded.
   */
  ownerFrom(given: z.output<typeof signInSchema>, ip: () => string): Promise<SignedIn>
}

export function createSignIn({
  keys,
  users,
  oidc,
  limit,
}: {
  keys: KeyCheck
  users: Users | null
  oidc: Pick<OidcSignIn, 'host'> | null
  limit: SignInLimit
}): SignIn {
  function assertKey(key: string): void {
    const scope = keys.scopeOf(key)
    if (scope === null) throw new LocalpostError('invalid_api_key', 'There is no such API key.')
    if (!scopeMeets(scope, 'read'))
      throw insufficientScope(`This API key has the scope \`${scope}\``, 'the page', 'read')
  }

  async function userOf(name: string, password: string, ip: string): Promise<{ name: string; hash: string }> {
    if (!users) throw new LocalpostError('invalid_credentials', noUsers(oidc))
    const succeeded = limit.begin(ip, name)
    const user = await users.check(name, password)
    if (!user) throw new LocalpostError('invalid_credentials', 'The user name or the password is wrong.')
    succeeded()
    return user
  }

  return {
    stateOf(owner, isLocal) {
      const facts = {
        name: null,
        role: null,
        accounts: null,
        scope: null,
        provider: null,
        password: users !== null,
        oidc: oidc?.host ?? null,
      }
      if (owner && 'user' in owner) {
        const { name, role, accounts } = owner.user
        const provider = owner.isProvided ? (oidc?.host ?? null) : null
        return { ...facts, caller: 'user', name, role, accounts: [...accounts], provider }
      }
      if (isLocal()) return { ...facts, caller: 'local' }
      return owner ? { ...facts, caller: 'key', scope: owner.scope } : { ...facts, caller: 'none' }
    },
    async ownerFrom(given, ip) {
      if (!('key' in given)) return { user: await userOf(given.name, given.password, ip()) }
      assertKey(given.key)
      return given
    },
  }
}

function noUsers(oidc: Pick<OidcSignIn, 'host'> | null): string {
  const other = oidc ? `with ${oidc.host}, or with an API key` : 'with an API key'
  return `This instance has no users with passwords. Sign in ${other}.`
}
