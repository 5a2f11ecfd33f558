import { expect, it } from 'vitest'
import { createBrowser, type Browser } from './_browser.ts'
import { openProvidedTeam } from './_provider.ts'

async function who(browser: Browser, url: string): Promise<unknown> {
  return JSON.parse((await browser.step(`${url}/dev/session`)).body)
}

it('signs in with a real provider, with the role and the accounts of its claims, until the sign-out', async () => {
  const { post, url, issuer, signIn } = await openProvidedTeam()
  await post.accounts.create({ name: 'shop' })
  const { host } = new URL(issuer)
  const nobody = { caller: 'none', name: null, role: null, accounts: null, provider: null }
  const ways = { scope: null, password: false, oidc: host }
  expect(await who(createBrowser(), url)).toEqual({ ...nobody, ...ways })

  const { browser: ada, page } = await signIn('ada')
  expect([page.status, page.url.pathname]).toEqual([200, '/dev/oidc/callback'])
  expect(page.body).toContain('<meta http-equiv="refresh" content="0; url=../../">')
  const { port } = new URL(url)
  expect(page.headers.getSetCookie()).toEqual([
    expect.stringMatching(
      new RegExp(`^localpost_session_${port}=[\\w-]{32}; Max-Age=86400; Path=/; HttpOnly; SameSite=Strict$`),
    ),
    `localpost_login_${port}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`,
  ])
  const admin = { caller: 'user', name: 'ada', role: 'admin', accounts: ['default'], provider: host }
  expect(await who(ada, url)).toEqual({ ...admin, ...ways })
  expect((await ada.step(`${url}/dev/keys`, { method: 'POST' })).status).toBe(201)

  const { browser: grace } = await signIn('grace')
  const member = {
    caller: 'user',
    name: 'grace@acme.test',
    role: 'member',
    accounts: ['shop'],
    provider: host,
  }
  expect(await who(grace, url)).toEqual({ ...member, ...ways })
  const statuses = ['/dev/inbox', '/dev/inbox?account=shop', '/dev/inbox?account=default'].map(
    async (path) => (await grace.step(`${url}${path}`)).status,
  )
  expect(await Promise.all(statuses)).toEqual([200, 200, 404])
  expect((await grace.step(`${url}/dev/keys`, { method: 'POST' })).status).toBe(403)

  await ada.step(`${url}/dev/session`, { method: 'DELETE' })
  expect((await ada.step(`${url}/dev/inbox`)).status).toBe(401)
  // The session at the provider stays, so the next sign-in asks for nothing, unless it is told to.
  expect((await signIn('nobody', ada)).page.url.pathname).toBe('/dev/oidc/callback')
  expect(await who(ada, url)).toMatchObject({ name: 'ada' })
  expect((await ada.visit(`${url}/dev/oidc/start?prompt=login`)).body).toContain('name="login"')
})

it('refuses a user without a role as a page that says so, and one who declines', async () => {
  const { url, signIn } = await openProvidedTeam()
  const { browser, page } = await signIn('eve')
  expect([page.status, page.headers.getSetCookie()]).toEqual([403, []])
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page.body).toContain('&lt;b&gt;eve&lt;/b&gt; may not sign in here: the claim &quot;roles&quot;')
  expect(page.body).toContain('gives no role. Ask an admin to give you one.')
  expect(await who(browser, url)).toMatchObject({ caller: 'none' })

  const other = createBrowser()
  const asked = await other.visit(`${url}/dev/oidc/start`)
  const [, abort = ''] = /href="([^"]*\/abort)"/.exec(asked.body) ?? []
  const declined = await other.visit(new URL(abort, asked.url))
  expect([declined.status, declined.body]).toEqual([
    401,
    expect.stringContaining('it answered access_denied (&quot;End-User aborted interaction&quot;)'),
  ])
})

it('binds a sign-in to its browser, and takes a code once', async () => {
  const { url, signIn } = await openProvidedTeam()
  const { browser, page } = await signIn('ada')
  expect(await who(browser, url)).toMatchObject({ caller: 'user' })
  const begun = await browser.step(`${url}/dev/oidc/start`)
  // The session before ends.
  expect(await who(browser, url)).toMatchObject({ caller: 'none' })
  const [name = '', value = ''] = [...browser.cookies(url)].find(([one]) => one.includes('login')) ?? []
  expect(value).toMatch(/^\d{13}\.[\w-]{43}$/)
  // The provider has a session, so it sends a code at once.
  let at = begun
  while (!at.headers.get('location')?.includes('/callback?'))
    at = await browser.step(new URL(at.headers.get('location') ?? '', at.url))
  const callback = new URL(at.headers.get('location') ?? '')
  const state = callback.searchParams.get('state') ?? ''
  const attempt = async (
    cookie: string,
    change: Record<string, string> = {},
    json = false,
  ): Promise<unknown> => {
    const target = new URL(callback)
    for (const [member, text] of Object.entries(change)) target.searchParams.set(member, text)
    const accept = json ? 'application/json' : 'text/html'
    const answer = await fetch(target, { headers: { cookie: `${name}=${cookie}`, accept } })
    return [answer.status, answer.headers.getSetCookie().length, /did not begin/.test(await answer.text())]
  }
  const foreign = createBrowser()
  await foreign.step(`${url}/dev/oidc/start`)
  const refused = [401, 0, true]
  for (const cookie of [
    '',
    [...foreign.cookies(url).values()][0] ?? '',
    `${Number(value.slice(0, 13)) + 1}${value.slice(13)}`,
    `${value.slice(0, 13)}.${'A'.repeat(43)}`,
    value.slice(0, -1),
    `${value}A`,
    `1000000000000${value.slice(13)}`,
    'x'.repeat(5000),
  ])
    expect([cookie, await attempt(cookie)]).toEqual([cookie, refused])
  for (const other of ['', 'x', `${state}x`, state.toLowerCase()])
    expect([other, await attempt(value, { state: other }, true)]).toEqual([other, refused])
  expect(await attempt(value)).toEqual([200, 2, false])
  // The cookie is gone from a browser; who kept it has a code that was used.
  expect(await attempt(value)).toEqual([401, 0, false])
  expect((await browser.step(page.url)).body).toContain('did not begin')
})

it('takes place in a window of its own, begun by a page of the instance', async () => {
  const { url } = await openProvidedTeam()
  const status = async (path: string, headers: Record<string, string>, method = 'GET'): Promise<number> =>
    (await fetch(`${url}/dev/oidc/${path}`, { method, headers, redirect: 'manual' })).status
  expect(await status('start', { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document' })).toBe(302)
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' },
    { origin: 'http://evil.test' },
    { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'image' },
    { 'sec-fetch-dest': 'iframe' },
  ]
  for (const headers of foreign) expect([headers, await status('start', headers)]).toEqual([headers, 403])
  for (const dest of ['image', 'iframe', 'empty', 'script'])
    expect(await status('callback?code=a&state=b', { 'sec-fetch-dest': dest })).toBe(403)
  expect(await status('callback?code=a&state=b', {}, 'HEAD')).toBe(401)
  expect(await status('callback', {}, 'POST')).toBe(401)
  const elsewhere = await fetch(`${url}/dev/oidc/start?next=http://evil.test&redirect_uri=http://evil.test`, {
    redirect: 'manual',
  })
  expect(elsewhere.headers.get('location')).not.toContain('evil')
})
