import { hash, timingSafeEqual } from 'node:crypto'
import { systemClock } from '../core/clock.ts'
import { LocalpostError } from '../core/errors.ts'
import { createJobQueue } from '../core/job-queue.ts'
import { dateNow } from '../core/machine.ts'
import type { CheckDestination } from '../net/outgoing.ts'
import type { ProvidedUser } from '../users/user.ts'
import { lacksClaims, userOf, type ClaimRules } from './claims.ts'
import { createDiscovery } from './discovery.ts'
import { createProviderFetch, ProviderFailure } from './fetch.ts'
import { createLogins, type Login } from './login.ts'
import { signInError } from './sign-in-error.ts'

/** The option `oidc` where a provider is set. */
export interface ProviderOptions extends ClaimRules {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | null
  readonly scope: string
}

/** Sign-in with an OpenID provider: authorization code flow with PKCE, `state` and `nonce`. */
export interface OidcSignIn {
  /** The provider's, with the port where it has one. */
  readonly host: string
  /** Changes with the provider and with the rules for its users; sessions end then. */
  readonly policy: string
  /**
   * Begins a sign-in.
   *
   * @param options.again  Asks the user for a password although the provider has a session.
   * @returns The URL to redirect the browser to, and a cookie that it keeps until it returns.
   * @throws provider_unavailable
   */
  begin(options?: { again?: boolean }): Promise<{ location: string; cookie: string }>
  /** Whether a browser that came back is the one that began the sign-in, within ten minutes. Makes no request. */
  isOwn(cookie: string, state: string): boolean
  /**
   * Ends a sign-in: exchanges the code, and checks the ID token.
   *
   * @param cookie  Of a sign-in for which {@link isOwn} is true.
   * @param answer  The query that the browser brought from the provider.
   * @throws sign_in_failed, provider_unavailable, insufficient_scope, service_unavailable.
   */
  finish(cookie: string, answer: Readonly<Record<string, string | undefined>>): Promise<ProvidedUser>
  /** Ends running requests. */
  close(): void
}

/**
 * Prepares sign-in with a provider, which is asked at the first sign-in and not before.
 *
 * @param deps.redirectUri  Where the provider sends browsers back to; known once the listener is open.
 * @param deps.secret  Binds a sign-in to its browser. At least 32 random bytes, the same for all instances of a server.
 */
export function createOidcSignIn(
  options: ProviderOptions,
  deps: {
    redirectUri(): string
    secret: Buffer
    problemOf: CheckDestination
    onProblem(message: string): void
    now?: () => number
    timeoutMs?: number
  },
): OidcSignIn {
  const issuer = new URL(options.issuer)
  const { host } = issuer
  const { redirectUri, secret, problemOf, onProblem, now = dateNow, timeoutMs } = deps
  const logins = createLogins(secret, now)
  const provider = createProviderFetch({ issuer, problemOf, timeoutMs })
  const discovery = createDiscovery({ ...options, issuer }, provider)
  const queue = createJobQueue(systemClock, maxAtOnce, maxWaiting)

  async function withSignInErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const shown = signInError(error, host, (reason) => onProblem(`Sign-in with ${host}: ${reason}`))
      // The discovery document of the provider may have changed.
      if (shown.code === 'provider_unavailable') discovery.forget()
      throw shown
    }
  }

  async function providedUser(
    login: Login | null,
    answer: Readonly<Record<string, string | undefined>>,
  ): Promise<ProvidedUser> {
    if (!login) throw new LocalpostError('sign_in_failed', 'The sign-in took longer than ten minutes.')
    const { client, configuration } = await discovery.read()
    const url = new URL(redirectUri())
    for (const [name, value] of Object.entries(answer))
      if (value !== undefined) url.searchParams.set(name, value)
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      expectedState: login.state,
      expectedNonce: login.nonce,
      pkceCodeVerifier: login.verifier,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    if (!claims) throw new ProviderFailure('the answer has no ID token')
    const { userinfo_endpoint: endpoint } = configuration.serverMetadata()
    const needsMore = endpoint !== undefined && lacksClaims(claims, options)
    const more = needsMore ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {}
    return { user: userOf({ ...more, ...claims }, options, host), subject: claims.sub }
  }

  return {
    host,
    policy: policyOf(options),
    begin: ({ again = false } = {}) =>
      withSignInErrors(async () => {
        const { client, configuration } = await discovery.read()
        const { cookie, state, nonce, verifier } = logins.begin()
        const url = client.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri(),
          scope: ['openid', ...options.scope.split(' ').filter((one) => one && one !== 'openid')].join(' '),
          state,
          nonce,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...(again && { prompt: 'login' }),
        })
        assertPage(url, issuer)
        return { location: url.href, cookie }
      }),
    isOwn(cookie, state) {
      const login = logins.of(cookie)
      return login !== null && isSame(login.state, state)
    },
    finish: (cookie, answer) =>
      withSignInErrors(() => queue.run(() => providedUser(logins.of(cookie), answer), patienceMs)),
    close: () => provider.close(),
  }
}

/** The browser is sent there, so it must be a page of the web, and an address that a header can hold. */
function assertPage({ protocol, host, href }: URL, issuer: URL): void {
  const isPage = protocol === 'https:' || (protocol === 'http:' && host === issuer.host)
  if (!isPage || href.length > maxLocation)
    throw new ProviderFailure(`the authorization endpoint ${href.slice(0, 200)} is no https URL, or too long`)
}

function policyOf(options: ProviderOptions): string {
  const { issuer, clientId, roleClaim, adminValues, memberValues, accountsClaim } = options
  return hash(
    'sha256',
    JSON.stringify([issuer, clientId, roleClaim, adminValues, memberValues, accountsClaim]),
  )
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** How many sign-ins end at the same time, how many others may wait for them, and how long. */
const maxAtOnce = 8
const maxWaiting = 100
const patienceMs = 10_000
const maxLocation = 8192
