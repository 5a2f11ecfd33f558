import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createOidcSignIn } from '../../src/oidc/sign-in.ts'
import {
  answer,
  clientSecret,
  endless,
  foreignKey,
  openHostileProvider,
  openHostileTeam,
  type Tricks,
} from './_hostile.ts'

it('proves itself and the browser to the provider', async () => {
  const team = await openHostileTeam()
  const methods = { token_endpoint_auth_methods_supported: ['client_secret_post'] }
  for (const tricks of [{}, { discovery: (all: object) => ({ ...all, ...methods }) }]) {
    if ('discovery' in tricks) await team.attempt({ answers: { '/token': answer('{}', 500) } })
    expect(await team.attempt(tricks)).toMatchObject({ status: 200, message: '', cookies: 2 })
  }
  const [basic, post] = [team.provider.exchanges[0], team.provider.exchanges.at(-1)]
  expect(Buffer.from(basic?.authorization.replace('Basic ', '') ?? '', 'base64').toString()).toBe(
    `localpost:${clientSecret.replaceAll(' ', '+')}`,
  )
  expect([post?.authorization, post?.form.get('client_secret')]).toEqual(['', clientSecret])
  for (const { isVerified, form } of [basic, post].flatMap((one) => one ?? []))
    expect([isVerified, form.get('redirect_uri')]).toEqual([true, `${team.post.url}/dev/oidc/callback`])
})

it('refuses ID tokens that are expired, foreign, replayed or not signed by the provider', async () => {
  const team = await openHostileTeam()
  const { provider } = team
  expect(await team.attempt()).toMatchObject({ status: 200 })
  const [earlier = ''] = provider.issued
  const change = (claims: object): Tricks => ({ claims: (all) => ({ ...all, ...claims }) })
  const hour = 3600
  const now = Math.floor(Date.now() / 1000)
  const secretKey = new TextEncoder().encode(clientSecret.padEnd(32))
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const cases: readonly (readonly [
    what: string,
    tricks: Tricks,
    words: RegExp,
    changed?: Record<string, string>,
  ])[] = [
    ['expired', change({ exp: now - hour, iat: now - 2 * hour }), /expir|exp/],
    ['not yet valid', change({ nbf: now + hour }), /nbf/],
    ['without an expiry', change({ exp: undefined }), /exp/],
    ['of a foreign issuer', change({ iss: 'https://evil.test' }), /iss/],
    ['for a foreign audience', change({ aud: 'other' }), /aud/],
    [
      'for several audiences, and another party',
      change({ aud: ['localpost', 'other'], azp: 'other' }),
      /azp/,
    ],
    ['of another sign-in', change({ nonce: 'x' }), /nonce/],
    ['without a nonce', change({ nonce: undefined }), /nonce/],
    ['without a subject', change({ sub: undefined }), /sub/],
    ['used before', { idToken: () => earlier }, /nonce/],
    ['signed by another key', { key: foreignKey }, /signature/],
    ['with an unknown key', { header: { kid: 'other' } }, /key|kid/],
    ['signed with the secret of the client', { header: { alg: 'HS256' }, key: secretKey }, /./],
    ['not signed', { idToken: (token) => `${encode({ alg: 'none' })}.${token.split('.')[1]}.` }, /./],
    ['missing', { idToken: () => undefined }, /id_token/],
    ['from a foreign place', {}, /iss/, { iss: 'https://evil.test' }],
    [
      'refused by the provider',
      {},
      /answered access_denied \("Not you"\)/,
      { error: 'access_denied', error_description: 'Not you' },
    ],
  ]
  for (const [what, tricks, words, changed] of cases) {
    const { status, message, cookies } = await team.attempt(tricks, changed)
    expect([what, status, message, cookies]).toEqual([what, 401, expect.stringMatching(words), 0])
    expect(message).toContain(`The sign-in with ${new URL(provider.issuer).host} failed: `)
  }
  expect(await team.attempt()).toMatchObject({ status: 200 })
})

const unusable: readonly (readonly [what: string, respond: ReturnType<typeof answer>])[] = [
  ['garbage', answer('<html>')],
  ['another type', answer('{}', 200, 'text/html')],
  ['an error', answer('{}', 500)],
  ['a redirect', answer('', 302)],
  ['a status that no Response takes', answer('', 999)],
  ['nothing', answer('', 204)],
  ['a list', answer('[]')],
  ['something deep', answer('['.repeat(100_000))],
  ['an endless body', endless(' ')],
  ['a broken connection', (response) => void response.destroy()],
]

it('survives invalid answers of a provider, and only the log says why', async () => {
  const team = await openHostileTeam()
  const { host } = new URL(team.provider.issuer)
  const told = `${host} cannot be used to sign in now. Try again later; the log of Localpost says why.`
  for (const [what, respond] of unusable) {
    const discovery = await team.attempt({ answers: { '/.well-known/openid-configuration': respond } })
    expect([what, discovery]).toEqual([
      what,
      expect.objectContaining({ status: 502, message: told, cookies: 0 }),
    ])
  }
  for (const [what, respond] of unusable) {
    const { status, message, cookies } = await team.attempt({ answers: { '/token': respond } })
    expect([what, [401, 502].includes(status), cookies]).toEqual([what, true, 0])
    expect([what, message]).not.toEqual([what, expect.stringContaining('/token')])
  }
  expect(await team.attempt({ idToken: () => 'a.b.c' })).toMatchObject({ status: 502, message: told })
  const few = unusable.filter(([what]) => ['garbage', 'an endless body'].includes(what))
  for (const [, respond] of few) {
    const withoutRole: Tricks = {
      claims: (all) => ({ ...all, roles: undefined }),
      answers: { '/userinfo': respond },
    }
    expect((await team.attempt(withoutRole)).message).toBe(told)
  }
  expect(team.notices).toContain(
    `Sign-in with ${host}: ${team.provider.issuer}/token answered more than 262144 bytes`,
  )
  expect(await team.attempt()).toMatchObject({ status: 200 })
})

it('is not led elsewhere by a discovery document', async () => {
  let connections = 0
  const other = createServer(() => void connections++)
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  const team = await openHostileTeam()
  const { post, provider, notices } = team
  for (const [member, url, why] of [
    ['token_endpoint', `https://127.0.0.1:${port}/`, 'is this machine, and not the host of the issuer'],
    ['token_endpoint', `http://127.0.0.1:${port}/`, 'is not an https URL'],
    ['token_endpoint', 'https://10.1.2.3/', 'is in a private network, and not the host of the issuer'],
    ['token_endpoint', 'https://169.254.169.254/', 'is a link-local, metadata'],
    ['token_endpoint', post.url?.replace('http:', 'https:'), 'is this Localpost itself'],
    ['token_endpoint', `https://127.0.0.1:${post.smtp.port}/`, 'is this Localpost itself'],
    ['token_endpoint', 'ftp://127.0.0.1/', 'only requests to HTTP'],
    ['jwks_uri', `https://[::1]:${port}/`, 'is this machine, and not the host of the issuer'],
    ['authorization_endpoint', 'javascript:alert(1)', 'only HTTP and HTTPS requests are allowed'],
    ['authorization_endpoint', `http://127.0.0.1:${port}/`, 'is no https URL, or too long'],
    ['authorization_endpoint', `https://login.test/${'x'.repeat(9000)}`, 'is no https URL, or too long'],
    ['authorization_endpoint', undefined, 'authorization_endpoint'],
    ['issuer', 'https://evil.test', 'issuer does not match'],
  ] as const) {
    notices.length = 0
    const { status } = await team.attempt({ discovery: (all) => ({ ...all, [member]: url }) })
    expect([member, url, status, notices]).toEqual([member, url, 502, [expect.stringContaining(why)]])
  }
  expect(connections).toBe(0)
  // Of the case with another `jwks_uri`.
  expect(provider.exchanges).toHaveLength(1)
})

it('limits sign-ins that fail, per address', async () => {
  const team = await openHostileTeam({ trustProxy: [] })
  const refused = { error: 'access_denied' }
  for (let i = 0; i < 20; i++) expect((await team.attempt({}, refused)).status).toBe(401)
  const { status, message } = await team.attempt()
  expect([status, message]).toEqual([
    429,
    expect.stringMatching(/^Too many sign-ins from 127\.0\.0\.1 failed\. Wait \d+ s\.$/),
  ])
})

it('waits for a provider for a short time only, and ends with the instance', async () => {
  const provider = await openHostileProvider()
  const reasons: string[] = []
  const make = (issuer: string, timeoutMs: number): ReturnType<typeof createOidcSignIn> =>
    createOidcSignIn(
      {
        issuer,
        clientId: 'localpost',
        clientSecret: null,
        scope: 'profile',
        roleClaim: 'roles',
        adminValues: [],
        memberValues: [],
        accountsClaim: 'accounts',
      },
      {
        redirectUri: () => 'http://127.0.0.1/dev/oidc/callback',
        secret: Buffer.alloc(32),
        problemOf: () => null,
        onProblem: (reason) => reasons.push(reason),
        timeoutMs,
      },
    )
  const silent = (): void => undefined
  const dripping: Tricks['answers'] = {
    '/.well-known/openid-configuration': (response) => void response.writeHead(200).write('{'),
  }
  for (const answers of [{ '/.well-known/openid-configuration': silent }, dripping]) {
    provider.tricks = { answers }
    await expect(make(provider.issuer, 200).begin()).rejects.toMatchObject({ code: 'provider_unavailable' })
    expect(reasons.pop()).toMatch(/no complete answer within 0\.2 s$/)
  }
  const closing = make(provider.issuer, 60_000)
  const arrived = new Promise<void>((resolve) => {
    provider.tricks = { answers: { '/.well-known/openid-configuration': () => resolve() } }
  })
  const ended = expect(closing.begin()).rejects.toMatchObject({ code: 'provider_unavailable' })
  await arrived
  closing.close()
  await ended
  await expect(closing.begin()).rejects.toMatchObject({ code: 'provider_unavailable' })
  expect(reasons.pop()).toContain('this instance is closing')
  // Nothing listens at port 1.
  const unreachable = make('http://127.0.0.1:1', 5000).begin()
  await expect(unreachable).rejects.toMatchObject({ code: 'provider_unavailable' })
  expect(reasons.pop()).toContain('ECONNREFUSED')
})
