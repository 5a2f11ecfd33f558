import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Localpost } from '../../src/instance/instance.ts'
import { createPasswords } from '../../src/users/password.ts'
import { spellingsOf } from '../net/_spellings.ts'
import { createSignInLimit } from '../../src/server/sign-in-limit.ts'
import { needOf } from '../../src/server/auth.ts'
import type { LocalpostOptions } from '../../src/options/options.ts'
import { adapterOfTests, lastingPlace } from '../support/adapters.ts'
import { temporaryFolder } from '../support/folder.ts'
import { start } from '../support/instance.ts'
import { ask, type RawAnswer } from './_ask.ts'
import { hollowApp } from './validate-response.ts'

const json = { 'content-type': 'application/json' }
let hashes: string[] = []

beforeAll(async () => {
  const passwords = createPasswords()
  hashes = [await passwords.hash('correct horse'), await passwords.hash('battery staple')]
})

interface Team {
  post: Localpost
  port: number
  dir: string
  /** Writes the file of users. */
  write(...lines: string[]): void
  signIn(name: string, password: string, headers?: Record<string, string>): Promise<RawAnswer>
  ask(path: string, cookie: string, method?: string, body?: string): Promise<RawAnswer>
}

/** @param options.dir  The folder of an earlier team, whose file of users is used. */
async function team(options: { dir?: string; port?: number; place?: LocalpostOptions } = {}): Promise<Team> {
  const dir = options.dir ?? temporaryFolder()
  const users = join(dir, 'users')
  const write = (...lines: string[]): void => writeFileSync(users, `${lines.join('\n')}\n`)
  if (!options.dir) write(`ada:admin:default:${hashes[0]}`, `grace:member:default:${hashes[1]}`)
  const post = await start({ ...options.place, users, requireKey: true })
  const { port } = await post.listen({ port: options.port ?? 0 })
  return {
    post,
    port,
    dir,
    write,
    signIn: (name, password, headers = {}) =>
      ask(port, '/dev/session', { ...json, ...headers }, 'POST', JSON.stringify({ name, password })),
    ask: (path, cookie, method = 'GET', body = '') =>
      ask(port, path, { cookie, ...(body && json) }, method, body),
  }
}

const cookieOf = (answer: RawAnswer): string => answer.headers['set-cookie']?.[0]?.split(';')[0] ?? ''

describe('sign-in with a password', () => {
  test('gives a session that says who is signed in, until the sign-out', async () => {
    const { signIn, ask: get, port } = await team()
    const nobody = JSON.parse((await get('/dev/session', '')).body)
    expect(nobody).toEqual({
      caller: 'none',
      name: null,
      role: null,
      accounts: null,
      scope: null,
      provider: null,
      password: true,
      oidc: null,
    })
    const answer = await signIn('ada', 'correct horse')
    expect([answer.status, JSON.parse(answer.body)]).toEqual([200, { status: 'open' }])
    // Instances that share a database share the cookie, whatever their ports.
    const suffix = adapterOfTests() === 'PostgreSQL' ? '' : `_${port}`
    expect(answer.headers['set-cookie']?.[0]).toMatch(
      new RegExp(`^localpost_session${suffix}=[\\w-]{32}; Max-Age=86400; Path=/; HttpOnly; SameSite=Strict$`),
    )
    const cookie = cookieOf(answer)
    expect(JSON.parse((await get('/dev/session', cookie)).body)).toEqual({
      caller: 'user',
      name: 'ada',
      role: 'admin',
      accounts: ['default'],
      scope: null,
      provider: null,
      password: true,
      oidc: null,
    })
    expect((await get('/dev/inbox', cookie)).status).toBe(200)
    const out = await get('/dev/session', cookie, 'DELETE')
    expect(out.headers['set-cookie']?.[0]).toMatch(/=; Max-Age=0; /)
    expect((await get('/dev/inbox', cookie)).status).toBe(401)
  })

  test('is refused in the same words whether or not the user exists', async () => {
    const { signIn } = await team()
    const answers = [
      await signIn('ada', 'wrong'),
      await signIn('nobody', 'wrong'),
      await signIn('nobody', 'correct horse'),
      await signIn('ada', 'battery staple'),
      await signIn('__proto__', 'correct horse'),
    ]
    for (const answer of answers) {
      expect(answer.status).toBe(401)
      expect(answer.body).toBe(answers[0]?.body)
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
    expect(JSON.parse(answers[0]?.body ?? '').name).toBe('invalid_credentials')
  })

  test('takes as long for a user that does not exist as for a wrong password', async () => {
    const { signIn } = await team()
    const times: [number[], number[]] = [[], []]
    for (let i = 0; i < 5; i++) {
      for (const [at, name] of ['ada', 'nobody'].entries()) {
        const begun = performance.now()
        await signIn(name, 'wrong')
        times[at]?.push(performance.now() - begun)
      }
    }
    const [known = 0, unknown = 0] = times.map((all) => all.sort((a, b) => a - b)[2] ?? 0)
    expect(Math.min(known, unknown) / Math.max(known, unknown)).toBeGreaterThan(0.5)
  })

  test.each([
    ['a foreign Origin', { origin: 'http://evil.test' }],
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['an Origin of another port', { origin: 'http://127.0.0.1:1' }],
    ['the Origin null', { origin: 'null' }],
  ])('is refused with %s', async (_, headers) => {
    const { signIn } = await team()
    const answer = await signIn('ada', 'correct horse', headers)
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined])
  })

  test('takes no form of another page, and no half of the members', async () => {
    const { port } = await team()
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await ask(port, '/dev/session', form, 'POST', 'name=ada&password=correct+horse')).status).toBe(
      415,
    )
    for (const body of [
      '{}',
      '{"name":"ada"}',
      '{"password":"x"}',
      '{"name":"ada","password":5}',
      '{"key":""}',
    ])
      expect((await ask(port, '/dev/session', json, 'POST', body)).status).toBe(422)
  })

  test('never keeps a token that the browser came with, and ends its session', async () => {
    const { port, signIn, ask: get } = await team()
    const planted = `localpost_session_${port}=${'a'.repeat(32)}`
    const first = cookieOf(await signIn('ada', 'correct horse', { cookie: planted }))
    expect(first).not.toBe(planted)
    expect((await get('/dev/inbox', planted)).status).toBe(401)
    const second = cookieOf(await signIn('grace', 'battery staple', { cookie: first }))
    expect([(await get('/dev/inbox', first)).status, (await get('/dev/inbox', second)).status]).toEqual([
      401, 200,
    ])
  })

  test('takes no tampered cookie', async () => {
    const { signIn, ask: get } = await team()
    const cookie = cookieOf(await signIn('ada', 'correct horse'))
    const [name = '', token = ''] = cookie.split('=')
    const flipped = (token.startsWith('A') ? 'B' : 'A') + token.slice(1)
    for (const wrong of [flipped, token.slice(1), `${token}A`, token.toLowerCase(), `"${token}"`, '', 'null'])
      expect([wrong, (await get('/dev/inbox', `${name}=${wrong}`)).status]).toEqual([wrong, 401])
    expect((await get('/dev/inbox', `${name}x=${token}`)).status).toBe(401)
  })

  test('survives a restart, and ends when the password changes or the user is removed', async () => {
    const place = lastingPlace()
    const first = await team({ place })
    const cookies = [
      cookieOf(await first.signIn('ada', 'correct horse')),
      cookieOf(await first.signIn('grace', 'battery staple')),
    ]
    await first.post.close()
    const { ask: get, write } = await team({ place, dir: first.dir, port: first.port })
    const statuses = async (): Promise<number[]> =>
      Promise.all(cookies.map(async (cookie) => (await get('/dev/inbox', cookie)).status))
    expect(await statuses()).toEqual([200, 200])
    write(`ada:admin:default:${hashes[1]}`)
    await expect.poll(statuses, { timeout: 5000 }).toEqual([401, 401])
  })

  test('is off without a file of users', async () => {
    const post = await start({ requireKey: true })
    const { port } = await post.listen()
    expect(JSON.parse((await ask(port, '/dev/session')).body)).toMatchObject({
      caller: 'none',
      password: false,
    })
    const answer = await ask(port, '/dev/session', json, 'POST', '{"name":"ada","password":"x"}')
    expect([answer.status, JSON.parse(answer.body).name]).toEqual([401, 'invalid_credentials'])
  })

  test('is limited per address', async () => {
    const { post, port, signIn } = await team()
    await post.accounts.create({ name: 'shop' })
    for (let i = 0; i < 20; i++) expect((await signIn(`user${i}`, 'wrong')).status).toBe(401)
    const limited = await signIn('ada', 'correct horse')
    expect([limited.status, Number(limited.headers['retry-after'])]).toEqual([429, expect.closeTo(31, -2)])
    // Not once more for each account that a client names.
    const body = '{"name":"ada","password":"wrong"}'
    expect((await ask(port, '/dev/session?account=shop', json, 'POST', body)).status).toBe(429)
    // Twenty passwords are hashed, one after the other.
  }, 60_000)
})

describe('the limit of sign-ins', () => {
  const failing = (limit: ReturnType<typeof createSignInLimit>, address: string, name: string): boolean => {
    try {
      limit.begin(address, name)
      return true
    } catch {
      return false
    }
  }

  test('counts wrong passwords per address and per user, for a minute', () => {
    let now = 0
    const limit = createSignInLimit(() => now)
    for (let i = 0; i < 20; i++) expect(failing(limit, '192.0.2.1', `user${i}`)).toBe(true)
    expect(failing(limit, '192.0.2.1', 'other')).toBe(false)
    expect(failing(limit, '192.0.2.2', 'other')).toBe(true)
    for (let i = 0; i < 60; i++) expect(failing(limit, `198.51.100.${i}`, 'ada')).toBe(true)
    expect(failing(limit, '203.0.113.1', 'ada')).toBe(false)
    now = 60_000
    expect(failing(limit, '192.0.2.1', 'ada')).toBe(true)
  })

  test('counts an IPv6 /64 as one address, and no right passwords', () => {
    const limit = createSignInLimit(() => 0)
    for (let i = 0; i < 100; i++) limit.begin('192.0.2.1', 'ada')()
    for (let i = 1; i <= 20; i++) expect(failing(limit, `2001:db8::${i}`, `user${i}`)).toBe(true)
    expect(failing(limit, '2001:db8::ffff', 'other')).toBe(false)
  })
})

describe('the limit of sign-ins behind a proxy', () => {
  test('lets one client in any spelling lock out nobody else', () => {
    for (const spelling of spellingsOf('198.51.100.1')) {
      const limit = createSignInLimit(() => 0)
      for (let i = 0; i < 20; i++) limit.begin(spelling, `user${i}`)
      expect(() => limit.begin('198.51.100.1', 'ada')).toThrow('198.51.100.1 failed')
      expect(() => limit.begin('::ffff:198.51.100.2', 'ada')).not.toThrow()
    }
  })
})

describe('roles', () => {
  test('a member may do everything except managing access and the whole instance', async () => {
    const { signIn, ask: get } = await team()
    const [ada, grace] = [
      cookieOf(await signIn('ada', 'correct horse')),
      cookieOf(await signIn('grace', 'battery staple')),
    ]
    const ofAdmins = hollowApp().routes.filter((route) => needOf(route)('') === 'admin')
    expect(ofAdmins.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /dev/accounts',
      'PATCH /dev/accounts/{name}',
      'POST /dev/accounts/{name}/smtp-password',
      'DELETE /dev/accounts/{name}',
      'POST /dev/keys',
      'DELETE /dev/keys/{id}',
      'POST /dev/reset',
    ])
    for (const { method, path: named } of ofAdmins) {
      const path = named.replace(/\{\w+\}/, 'none')
      const refused = await get(path, grace, method)
      expect([path, refused.status]).toEqual([path, 403])
      expect(JSON.parse(refused.body)).toMatchObject({
        name: 'insufficient_scope',
        message: expect.stringContaining('grace has the role `member`'),
      })
      expect((await get(path, ada, method)).status).not.toBe(403)
    }
    expect((await get('/dev/inbox?all=true', grace, 'DELETE')).status).toBe(200)
  })

  test('the page of a user calls /v1 without a key; other requests with the cookie do not', async () => {
    const { port, signIn } = await team()
    const cookie = cookieOf(await signIn('grace', 'battery staple'))
    const page = { cookie, 'x-localpost-page': '1', 'sec-fetch-site': 'same-origin' }
    expect((await ask(port, '/v1/domains', page)).status).toBe(200)
    // Over plain HTTP browsers leave Sec-Fetch-Site out.
    expect((await ask(port, '/v1/domains', { cookie, 'x-localpost-page': '1' })).status).toBe(200)
    for (const headers of [{ cookie }, { ...page, cookie: '' }])
      expect((await ask(port, '/v1/domains', headers)).status).toBe(401)
    for (const [name, value] of [
      ['sec-fetch-site', 'cross-site'],
      ['origin', 'http://evil.test'],
    ] as const)
      expect((await ask(port, '/v1/domains', { ...page, [name]: value })).status).toBe(403)
  })
})
