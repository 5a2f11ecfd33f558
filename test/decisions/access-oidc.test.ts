import { expect, it } from 'vitest'
import { openHostileTeam, type HostileTeam } from '../oidc/_hostile.ts'
import { startListening } from '../support/instance.ts'

const statusOf = async (
  { post }: HostileTeam,
  { browser }: Awaited<ReturnType<HostileTeam['attempt']>>,
  path: string,
  method = 'GET',
): Promise<number> => (await browser.step(`${post.url}${path}`, { method })).status

it('access.oidc: by /dev/oidc/start with PKCE, back to publicUrl, in the same browser, else 401', async () => {
  const team = await openHostileTeam({ publicUrl: 'https://mail.acme.test/post/' })
  const begun = await fetch(`${team.post.url}/dev/oidc/start`, { redirect: 'manual' })
  const { origin, pathname, searchParams } = new URL(begun.headers.get('location') ?? '')
  expect([begun.status, origin, pathname]).toEqual([302, team.provider.issuer, '/authorize'])
  expect(Object.fromEntries(searchParams)).toEqual({
    client_id: 'localpost',
    response_type: 'code',
    redirect_uri: 'https://mail.acme.test/post/dev/oidc/callback',
    scope: 'openid profile email',
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
  })
  expect(begun.headers.get('set-cookie')).toMatch(/; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
  expect(await team.attempt({}, { state: 'other' })).toMatchObject({ status: 401, cookies: 0 })
  expect(await team.attempt()).toMatchObject({ status: 200, cookies: 2 })
  const without = await startListening({ requireKey: true })
  for (const path of ['start', 'callback?code=a&state=b'])
    expect((await fetch(`${without.url}/dev/oidc/${path}`)).status).toBe(404)
})

it('access.oidc-role: the claim decides the role, and of a member the accounts; without a role it is 403', async () => {
  const team = await openHostileTeam({
    oidc: {
      roleClaim: 'realm.groups',
      adminValues: ['ops'],
      memberValues: ['dev', 'qa'],
      accountsClaim: 'teams',
    },
  })
  await team.post.accounts.create({ name: 'shop' })
  const as = (groups: string[], teams?: string[]): ReturnType<HostileTeam['attempt']> =>
    team.attempt({ claims: (all) => ({ ...all, realm: { groups }, teams }) })
  const [admin, member, shopper] = [
    await as(['ops', 'qa']),
    await as(['qa'], ['default']),
    await as(['dev'], ['shop']),
  ]
  const [keys, inbox, shop] = ['/dev/keys', '/dev/inbox?account=default', '/dev/inbox?account=shop']
  expect([
    await statusOf(team, admin, keys, 'POST'),
    await statusOf(team, admin, shop),
    await statusOf(team, member, keys, 'POST'),
    await statusOf(team, member, inbox),
    await statusOf(team, member, shop),
    await statusOf(team, shopper, inbox),
    await statusOf(team, shopper, shop),
  ]).toEqual([201, 200, 403, 200, 404, 404, 200])
  for (const refused of [await as([]), await as(['Ops']), await as(['dev'])])
    expect(refused).toMatchObject({ status: 403, cookies: 0 })
  // What the ID token lacks is asked for at the userinfo endpoint.
  const userinfo = { sub: 'ada', realm: { groups: ['ops'] } }
  const answers = {
    '/userinfo': (response: import('node:http').ServerResponse): void =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(userinfo)),
  }
  expect(await team.attempt({ answers })).toMatchObject({ status: 200 })
  expect(await team.attempt({ answers, claims: (all) => ({ ...all, sub: 'eve' }) })).toMatchObject({
    cookies: 0,
  })
})

it('access.oidc-session: a day, also without the provider, until the sign-out', async () => {
  const team = await openHostileTeam()
  const signedIn = await team.attempt()
  team.provider.tricks = { answers: {}, discovery: () => ({}) }
  expect(await statusOf(team, signedIn, '/dev/inbox')).toBe(200)
  expect(await statusOf(team, signedIn, '/dev/session', 'DELETE')).toBe(200)
  expect(await statusOf(team, signedIn, '/dev/inbox')).toBe(401)
})

it('access.oidc-requests: to the issuer anywhere, to others only in public networks, never to itself: 502', async () => {
  const team = await openHostileTeam()
  for (const token_endpoint of ['https://127.0.0.1:9/', 'https://10.1.2.3/', `${team.post.url}/token`])
    expect(await team.attempt({ discovery: (all) => ({ ...all, token_endpoint }) })).toMatchObject({
      status: 502,
    })
  expect(team.provider.exchanges).toEqual([])
  expect(await team.attempt()).toMatchObject({ status: 200 })
})
