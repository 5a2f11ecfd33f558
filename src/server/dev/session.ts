import { z } from 'zod'
import { jsonAnswer } from '../answer.ts'
import { bodyLimits, defineRoutes, type Route } from '../define-routes.ts'
import { sessionStateSchema } from '../schema.ts'
import type { Sessions } from '../session.ts'
import { createSignIn, signInSchema } from '../sign-in.ts'

const { get, post, del } = defineRoutes({ tag: 'Keys', access: 'open' })

/** `/dev/session`: sign-in, sign-out, and who is signed in. */
export function sessionRoutes(deps: Parameters<typeof createSignIn>[0] & { sessions: Sessions }): Route[] {
  const { sessions } = deps
  const signIn = createSignIn(deps)

  return [
    get('/dev/session', {
      summary: 'Who is signed in, and how one can sign in',
      success: { schema: sessionStateSchema },
      handler: ({ headers, isLocal }) => signIn.stateOf(sessions.ownerOf(headers), isLocal),
    }),
    post('/dev/session', {
      summary: 'Sign in with an API key, or with name and password: the answer sets a session cookie',
      body: { schema: signInSchema, maxBytes: bodyLimits.signIn },
      success: { schema: z.strictObject({ status: z.literal('open') }) },
      errors: ['invalid_api_key', 'invalid_credentials', 'insufficient_scope', 'rate_limit_exceeded'],
      async handler({ body, headers, isSecure, ip }) {
        const owner = await signIn.ownerFrom(body, ip)
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
