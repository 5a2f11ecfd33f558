import { z } from 'zod'
import { LocalpostError } from '../../core/errors.ts'
import type { OidcSignIn } from '../../oidc/sign-in.ts'
import { bytesAnswer } from '../answer.ts'
import { type Route } from '../route.ts'
import { defineRoutes } from '../define-routes.ts'
import type { Sessions } from '../session.ts'
import type { SignInLimit } from '../sign-in-limit.ts'
import { assertNavigation, orErrorPage, signedInPage } from '../sign-in-pages.ts'

const { get } = defineRoutes({ tag: 'Keys', access: 'open' })

/** `/dev/oidc`: sign-in with an OpenID provider, in a browser. */
export function oidcRoutes({
  oidc,
  sessions,
  limit,
}: {
  oidc: OidcSignIn | null
  sessions: Sessions
  limit: SignInLimit
}): Route[] {
  function provider(): OidcSignIn {
    if (oidc) return oidc
    throw new LocalpostError('not_found', 'This instance has no OpenID provider. Set one with --oidc-issuer.')
  }

  return [
    get('/dev/oidc/start', {
      summary: 'Sends a browser to the OpenID provider, to sign in there',
      query: z.object({
        prompt: z
          .enum(['login'])
          .optional()
          .describe('Ask for the password although the provider has a session'),
      }),
      success: {
        status: 302,
        description: 'The provider is in `Location`, and a cookie binds the sign-in to the browser',
      },
      errors: ['not_found', 'provider_unavailable', 'rate_limit_exceeded'],
      handler: ({ query, headers, isSecure, ip }) =>
        orErrorPage(headers, async () => {
          assertNavigation(headers)
          const begun = limit.begin(ip())
          const { location, cookie } = await provider().begin({ again: query.prompt === 'login' })
          begun()
          // Browsers do not send the cookie of an earlier session here, because it is limited to this site.
          await sessions.close(headers, isSecure())
          const leave = bytesAnswer(null, { location, 'referrer-policy': 'no-referrer' }, 302)
          return { ...leave, cookies: [sessions.login.set(cookie, isSecure())] }
        }),
    }),
    get('/dev/oidc/callback', {
      summary: 'Where the OpenID provider sends the browser back to: begins a session',
      // The browser comes from another site, the provider. The cookie and `state` prove that the sign-in began here.
      access: 'public',
      query: answerSchema,
      success: {
        type: 'text/html; charset=utf-8',
        description: 'A page that leads on to the inbox, with a session cookie',
      },
      errors: [
        'not_found',
        'sign_in_failed',
        'insufficient_scope',
        'provider_unavailable',
        'rate_limit_exceeded',
        'service_unavailable',
      ],
      handler: ({ query, headers, isSecure, isHead, ip }) =>
        orErrorPage(headers, async () => {
          assertNavigation(headers)
          const login = sessions.login.of(headers)
          if (isHead || !provider().isOwn(login, query.state ?? '')) throw notBegun()
          const succeeded = limit.begin(ip())
          const user = await provider().finish(login, query)
          succeeded()
          const session = await sessions.open({ provided: user }, headers, isSecure())
          return { ...signedInPage(), cookies: [session, sessions.login.set('', isSecure())] }
        }),
    }),
  ]
}

function notBegun(): LocalpostError {
  const message =
    'This sign-in did not begin at this address in this browser, or it began more than ten minutes ago. Sign in again.'
  return new LocalpostError('sign_in_failed', message)
}

const text = z.string().max(8192).optional()
/** RFC 6749 section 4.1.2, RFC 9207. Providers add members of their own. */
const answerSchema = z.object({ code: text, state: text, iss: text, error: text, error_description: text })
