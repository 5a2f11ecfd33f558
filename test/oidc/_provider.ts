import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'
import { onTestFinished } from 'vitest'
import type { Localpost, LocalpostOptions } from '../../src/index.ts'
import { startListening } from '../support/instance.ts'
import { createBrowser, type Browser, type Visit } from './_browser.ts'

/** The users of the provider, by their login; it takes any password. */
const people: Readonly<Record<string, object>> = {
  ada: { roles: ['localpost-admin'], preferred_username: 'ada', email: 'ada@acme.test' },
  grace: { roles: ['other', 'localpost-member'], email: 'grace@acme.test', localpost_accounts: ['shop'] },
  eve: { roles: ['accounting'], preferred_username: '<b>eve</b>' },
}

const { privateKey } = await generateKeyPair('ES256', { extractable: true })
const key = { ...(await exportJWK(privateKey)), kid: 'first', use: 'sig', alg: 'ES256' }

/** Listens on loopback until the end of the test, for a server whose own address has to be known before it is made. */
export async function listenFirst(): Promise<{ port: number; use(listener: RequestListener): void }> {
  let current: RequestListener | null = null
  const server = createServer((request, response) => {
    if (current) current(request, response)
    else response.writeHead(503).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return { port, use: (listener) => (current = listener) }
}

/** An instance that trusts a real provider, both on loopback. */
export interface ProvidedTeam {
  post: Localpost
  url: string
  issuer: string
  /** Goes the whole way to the inbox page, or to where it ends. */
  signIn(login: string, browser?: Browser): Promise<{ browser: Browser; page: Visit }>
}

/**
 * @param options  More options of the instance.
 * @param how.host  How the provider is called; `localhost` is another site than the instance.
 */
export async function openProvidedTeam(
  options: LocalpostOptions = {},
  how: { host?: string; port?: number } = {},
): Promise<ProvidedTeam> {
  const { port, use } = await listenFirst()
  const issuer = `http://${how.host ?? '127.0.0.1'}:${port}`
  const client = { clientId: 'localpost', clientSecret: 'client secret: 5 %&+' }
  const post = await startListening(
    {
      requireKey: true,
      ...options,
      oidc: { issuer, ...client, accountsClaim: 'localpost_accounts', ...options.oidc },
    },
    { port: how.port ?? 0 },
  )
  const url = post.url ?? ''
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [`${url}/dev/oidc/callback`],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['a key for cookies'] },
    pkce: { required: () => true },
    ttl: { Session: 600, Grant: 600, Interaction: 600, AccessToken: 600, IdToken: 600 },
    claims: {
      openid: ['sub'],
      profile: ['preferred_username', 'roles', 'localpost_accounts'],
      email: ['email'],
    },
    findAccount: (_: unknown, login: string) => ({
      accountId: login,
      claims: () => ({ sub: login, ...people[login] }),
    }),
  })
  use(provider.callback())
  return {
    post,
    url,
    issuer,
    async signIn(login, browser = createBrowser()) {
      const asked = await browser.visit(`${url}/dev/oidc/start`)
      if (!asked.body.includes('name="login"')) return { browser, page: asked }
      const consent = await browser.submit(asked, { login, password: 'any' })
      return { browser, page: await browser.submit(consent) }
    },
  }
}
