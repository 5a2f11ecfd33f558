import { z } from 'zod'
import { LocalpostError } from '../../core/errors.ts'
import { passwordLimits } from '../../users/password.ts'
import type { OidcSignIn } from '../../oidc/sign-in.ts'
import type { Users } from '../../users/users.ts'
import { jsonAnswer } from '../answer.ts'
import { type KeyCheck, insufficientScope, scopeMeets } from '../auth.ts'
import { bodyLimits, defineRoutes, type Route } from '../define-routes.ts'
import { type SessionState, sessionStateSchema } from '../schema.ts'
import type { Sessions } from '../session.ts'
import type { SignInLimit } from '../sign-in-limit.ts'

const { get, post, del } = defineRoutes({ tag: 'Keys', access: 'open' })

/** `/dev/session`: sign-in, sign-out, and who is signed in. */
export function sessionRoutes(deps: {
  keys: KeyCheck
  users: Users | null
  oidc: Pick<OidcSignIn, 'host'> | null
  sessions: Sessions
  limit: SignInLimit
}): Route[] {
  const { keys, users, oidc, sessions, limit } = deps

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

  return [
    get('/dev/session', {
      summary: 'Who is signed in, and how one can sign in',
      success: { schema: sessionStateSchema },
      handler({ headers, isLocal }): SessionState {
        const facts = {
          name: null,
          role: null,
          accounts: null,
          scope: null,
          provider: null,
          password: users !== null,
          oidc: oidc?.host ?? null,
        }
        const owner = sessions.ownerOf(headers)
        if (owner && 'user' in owner) {
          const { name, role, accounts } = owner.user
          const provider = owner.isProvided ? (oidc?.host ?? null) : null
          return { ...facts, caller: 'user', name, role, accounts: [...accounts], provider }
        }
        if (isLocal()) return { ...facts, caller: 'local' }
        return owner ? { ...facts, caller: 'key', scope: owner.scope } : { ...facts, caller: 'none' }
      },
    }),
    post('/dev/session', {
      summary: 'Sign in with an API key, or with name and password: the answer sets a session cookie',
      body: { schema: signInSchema, maxBytes: bodyLimits.signIn },
      success: { schema: z.strictObject({ status: z.literal('open') }) },
      errors: ['invalid_api_key', 'invalid_credentials', 'insufficient_scope', 'rate_limit_exceeded'],
      async handler({ body, headers, isSecure, ip }) {
        if ('key' in body) assertKey(body.key)
        const owner = 'key' in body ? body : { user: await userOf(body.name, body.password, ip()) }
        const cookie = await sessions.open(owner, headers, isSecure())
        return jsonAnswer({ status: 'open' }, 200, { 'set-cookie': cookie })
      },
    }),
    del('/dev/session', {
      summary: 'Sign out: end the session of the cookie',
      success: { schema: z.strictObject({ status: z.literal('closed') }) },
      async handler({ headers, isSecure }) {
        const cookie = await sessions.close(headers, isSecure())
        return jsonAnswer({ status: 'closed' }, 200, { 'set-cookie': cookie })
      },
    }),
  ]
}

function noUsers(oidc: Pick<OidcSignIn, 'host'> | null): string {
  const other = oidc ? `with ${oidc.host}, or with an API key` : 'with an API key'
  return `This instance has no users with passwords. Sign in ${other}.`
}

const signInSchema = z.union([
  z.strictObject({ key: z.string().min(1) }),
  z.strictObject({
    name: z.string().min(1).max(100),
    password: z.string().min(1).max(passwordLimits.maxBytes),
  }),
])
