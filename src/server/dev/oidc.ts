import { z } from 'zod'
import type { OidcSignIn } from '../../oidc/sign-in.ts'
import { defineRoutes, type Route } from '../define-routes.ts'
import type { Sessions } from '../session.ts'
import type { SignInLimit } from '../sign-in-limit.ts'
import { LocalpostError } from '../../core/errors.ts'
import { escapedHtml } from '../../core/text.ts'
import { type Answer, bytesAnswer } from '../answer.ts'
import { plainPage } from '../plain-page.ts'

const { get } = defineRoutes({ tag: 'Keys', access: 'open' })

/** `/dev/oidc`: sign-in with an OpenID provider, in a browser. */
export function oidcRoutes(oidc: OidcSignIn | null, sessions: Sessions, limit: SignInLimit): Route[] {
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

/** Handles a navigation of a browser. Errors are a page with a link back for people, and JSON for programs. */
async function orErrorPage(headers: Pick<Headers, 'get'>, run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof LocalpostError) || !headers.get('accept')?.includes('text/html')) throw error
    const links =
      '<p><a href="start">Try again</a> · <a href="start?prompt=login">Sign in as another user</a> · <a href="../../">Back</a></p>'
    const retryAfter = error.headers['retry-after']
    return plainPage({
      title: 'Sign-in failed',
      content: `<p>${escapedHtml(error.message)}</p>${links}`,
      status: error.status,
      headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    })
  }
}

/**
 * Opens the inbox page. A redirect would not work: after a navigation from another site, browsers treat all redirects
 * as cross-site and do not send the session's cookie.
 */
function signedInPage(): Answer {
  return plainPage({
    title: 'Signed in',
    content: '<meta http-equiv="refresh" content="0; url=../../"><p><a href="../../">Go to the inbox</a></p>',
  })
}

/**
 * Refuses everything except navigations of the whole window, such as images and frames of other pages.
 *
 * @throws forbidden_origin
 */
function assertNavigation(headers: Pick<Headers, 'get'>): void {
  const to = headers.get('sec-fetch-dest')
  if (to === null || to === 'document') return
  const message = 'Sign-in takes place in a window of its own, not inside a page.'
  throw new LocalpostError('forbidden_origin', message)
}
