import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTHeaderParameters } from 'jose'
import { onTestFinished } from 'vitest'
import type { Localpost, LocalpostOptions } from '../../src/index.ts'
import { startListening } from '../support/instance.ts'
import { createBrowser, type Browser, type Visit } from './_browser.ts'
import { listenFirst } from './_provider.ts'

type Members = Record<string, unknown>
type Respond = (response: ServerResponse) => void

/** The faults of a provider; without any it works correctly. */
export interface Tricks {
  claims?: (claims: Members) => Members
  header?: Partial<JWTHeaderParameters>
  /** Signs with it in the place of its own key. */
  key?: CryptoKey | Uint8Array
  /** In the place of the ID token. */
  idToken?: (token: string) => string | undefined
  /** Answers of its paths: `/token`, `/jwks`, `/userinfo`. */
  answers?: Readonly<Record<string, Respond>>
  discovery?: (document: Members) => Members
}

/** A provider with a real key that can be made to answer anything. */
export interface HostileProvider {
  issuer: string
  /** Takes what the browser brings: where the sign-in goes, and with it the nonce and the challenge. */
  open(location: string): void
  tricks: Tricks
  /** The ID tokens that it issued. */
  issued: string[]
  /** The requests for tokens, and whether their verifier fits the challenge of the sign-in. */
  exchanges: { authorization: string; isVerified: boolean; form: URLSearchParams }[]
}

/** An instance whose users sign in with a hostile provider. */
export interface HostileTeam {
  post: Localpost
  provider: HostileProvider
  notices: string[]
  /**
   * Signs in as a browser would, and tells how that ended.
   *
   * @param changed  Members of the query that the provider sends back.
   */
  attempt(
    tricks?: Tricks,
    changed?: Readonly<Record<string, string>>,
  ): Promise<{ status: number; message: string; cookies: number; browser: Browser }>
}

export const clientSecret = 'the secret of the client'

export async function openHostileTeam(options: LocalpostOptions = {}): Promise<HostileTeam> {
  const provider = await openHostileProvider()
  const notices: string[] = []
  const post = await startListening({
    requireKey: true,
    // Each sign-in comes from an address of its own, as failed ones are limited.
    trustProxy: ['127.0.0.1'],
    onNotice: ({ message }) => notices.push(message),
    ...options,
    oidc: { issuer: provider.issuer, clientId: 'localpost', clientSecret, ...options.oidc },
  })
  let callers = 0
  return {
    post,
    provider,
    notices,
    async attempt(tricks = {}, changed = {}) {
      provider.tricks = tricks
      const headers = { accept: 'application/json', 'x-forwarded-for': `192.0.2.${++callers % 250}` }
      const browser = createBrowser(headers)
      const messageOf = ({ status, body }: Visit): string => (status === 200 ? '' : JSON.parse(body).message)
      const begun = await browser.step(`${post.url}/dev/oidc/start`)
      const location = begun.headers.get('location')
      if (location === null) return { status: begun.status, message: messageOf(begun), cookies: 0, browser }
      provider.open(location)
      const target = new URL(`${post.url}/dev/oidc/callback`)
      const state = new URL(location).searchParams.get('state') ?? ''
      target.search = String(new URLSearchParams({ code: 'a code', state, iss: provider.issuer, ...changed }))
      const ended = await browser.step(target)
      const cookies = ended.headers.getSetCookie().length
      return { status: ended.status, message: messageOf(ended), cookies, browser }
    },
  }
}

export const foreignKey: CryptoKey = (await generateKeyPair('ES256')).privateKey

export async function openHostileProvider(): Promise<HostileProvider> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'first', use: 'sig', alg: 'ES256' }
  const { port, use } = await listenFirst()
  const issuer = `http://127.0.0.1:${port}`
  let asked = new URLSearchParams()
  const provider: HostileProvider = {
    issuer,
    open: (location) => (asked = new URL(location).searchParams),
    tricks: {},
    issued: [],
    exchanges: [],
  }

  async function idToken(): Promise<string | undefined> {
    const {
      claims = (all) => all,
      header,
      key = privateKey,
      idToken: replace = (token) => token,
    } = provider.tricks
    const seconds = Math.floor(Date.now() / 1000)
    const all = claims({
      iss: issuer,
      aud: asked.get('client_id'),
      sub: 'ada',
      nonce: asked.get('nonce'),
      iat: seconds,
      exp: seconds + 300,
      roles: ['localpost-admin'],
    })
    const token = await new SignJWT(all)
      .setProtectedHeader({ alg: 'ES256', kid: 'first', ...header })
      .sign(key)
    provider.issued.push(token)
    return replace(token)
  }

  async function exchange(request: IncomingMessage): Promise<Members> {
    let text = ''
    for await (const piece of request) text += String(piece)
    const form = new URLSearchParams(text)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    provider.exchanges.push({
      authorization: request.headers.authorization ?? '',
      isVerified: challenge === asked.get('code_challenge'),
      form,
    })
    return { access_token: 'an access token', token_type: 'Bearer', id_token: await idToken() }
  }

  const pages: Readonly<Record<string, (request: IncomingMessage) => unknown>> = {
    '/.well-known/openid-configuration': () =>
      (provider.tricks.discovery ?? ((all) => all))({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        userinfo_endpoint: `${issuer}/userinfo`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['ES256'],
        authorization_response_iss_parameter_supported: true,
      }),
    '/jwks': () => ({ keys: [jwk] }),
    '/token': exchange,
    '/userinfo': () => ({ sub: 'ada' }),
  }
  use((request, response) => {
    const path = request.url ?? ''
    const trick = provider.tricks.answers?.[path]
    if (trick) return trick(response)
    const sendJson = (value: unknown): void => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    }
    Promise.resolve(pages[path]?.(request)).then(sendJson, () => response.destroy())
  })
  return provider
}

/** Answers with a body that does not end. */
export function endless(piece: string): Respond {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = (): void => {
      while (!response.destroyed && response.write(piece.repeat(1000)));
    }
    response.on('drain', more).on('error', () => undefined)
    onTestFinished(() => void response.destroy())
    more()
  }
}

/** Answers with a body of the given type. */
export function answer(body: string, status = 200, type = 'application/json'): Respond {
  return (response) =>
    void response.writeHead(status, { 'content-type': type, location: '/elsewhere' }).end(body)
}
