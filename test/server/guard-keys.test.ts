import { describe, expect, test } from 'vitest'
import { start } from '../support/instance.ts'
import { ask, portOf } from './_ask.ts'
import { openOverSocket } from './_face.ts'

describe('a listener on loopback behind a tunnel', () => {
  const publicUrl = 'https://mail.example.org'
  const options = { publicUrl, allowHosts: ['box.lan'] }
  const names = ['mail.example.org', 'MAIL.example.org:443', 'mail.example.org.', 'box.lan:8025']
  const json = { 'content-type': 'application/json' }

  test('requires a key at /dev for its public name, also where the name is in the path', async () => {
    const face = await openOverSocket(options)
    for (const host of names) {
      for (const path of [
        '/dev/keys',
        '/dev/inbox',
        '/dev/events',
        '/d%65v/keys',
        'http://localhost/dev/keys',
      ]) {
        const refused = await ask(portOf(face), path, { host })
        expect([host, path, refused.status]).toEqual([host, path, 401])
        expect(JSON.parse(refused.body)).toMatchObject({ name: 'missing_api_key' })
        expect(refused.body).not.toContain(face.post.apiKey)
      }
      expect((await ask(portOf(face), '/', { host })).status).toBe(200)
    }
    const removal = await ask(portOf(face), '/dev/inbox?all=true', { host: 'box.lan' }, 'DELETE')
    expect(removal.status).toBe(401)
  })

  test('accepts a key or a session, and then shows only masked keys', async () => {
    const face = await openOverSocket(options)
    const port = portOf(face)
    const { apiKey } = face.post
    for (const host of names) {
      const shown = await ask(port, '/dev/keys', { host, authorization: `Bearer ${apiKey}` })
      expect([shown.status, shown.body.includes(apiKey)]).toEqual([200, false])
      const opened = await ask(
        port,
        '/dev/session',
        { ...json, host },
        'POST',
        JSON.stringify({ key: apiKey }),
      )
      const [cookie = ''] = opened.headers['set-cookie'] ?? []
      const seen = await ask(port, '/dev/keys', { host, cookie: cookie.split(';')[0] ?? '' })
      expect([seen.status, seen.body.includes(apiKey)]).toEqual([200, false])
    }
  })

  test('requires no key for a loopback name', async () => {
    const face = await openOverSocket({ ...options, publicUrl: 'http://localhost:8025' })
    for (const host of ['localhost', '127.0.0.1', '[::1]:8025', 'app.localhost']) {
      const { status, body } = await ask(portOf(face), '/dev/keys', { host })
      expect([host, status, body.includes(face.post.apiKey)]).toEqual([host, 200, true])
    }
  })
})

describe('a listener that is reachable from other machines', () => {
  async function openForOthers(): Promise<{ port: number; key: string; close: () => Promise<void> }> {
    const post = await start()
    const { port, url } = await post.listen({ host: '0.0.0.0' })
    expect(url).toBe(`http://127.0.0.1:${port}`)
    return { port, key: post.apiKey, close: () => post.close() }
  }

  test('requires a key at /dev, also from this machine; the page itself may load', async () => {
    const { port, key, close } = await openForOthers()
    for (const path of [
      '/dev/health',
      '/dev/inbox',
      '/dev/keys',
      '/dev/events',
      '/dev/openapi.json',
      '/d%65v/inbox',
      '/dev/nothing',
    ]) {
      const refused = await ask(port, path)
      expect([path, refused.status, JSON.parse(refused.body).name]).toEqual([path, 401, 'missing_api_key'])
      expect(refused.headers['www-authenticate']).toMatch(/^Bearer/)
    }
    expect((await ask(port, '/dev/health', { authorization: 'Bearer wrong' })).status).toBe(401)
    expect((await ask(port, '/dev/health', { authorization: `Bearer ${key}` })).status).toBe(200)
    expect((await ask(port, '/')).status).toBe(200)
    await close()
  })

  test('answers the probes without a key, also with a wrong one, but not to pages of other origins', async () => {
    const { port, close } = await openForOthers()
    for (const [path, body] of [
      ['/livez', { status: 'ok' }],
      ['/readyz', { status: 'ready', reasons: [] }],
    ] as const) {
      for (const [name, value] of [
        ['accept', '*/*'],
        ['authorization', 'Bearer wrong'],
        ['x-forwarded-for', '192.0.2.1'],
      ] as const) {
        const answer = await ask(port, path, { [name]: value })
        expect([path, answer.status, JSON.parse(answer.body)]).toEqual([path, 200, body])
      }
      for (const [name, value] of [
        ['origin', 'http://evil.test'],
        ['host', 'evil.test'],
      ] as const)
        expect([path, (await ask(port, path, { [name]: value })).status]).toEqual([path, 403])
      expect([path, (await ask(port, path, {}, 'POST')).status]).toEqual([path, 405])
    }
    await close()
  })

  test('accepts a session cookie that is not the key, until the session ends', async () => {
    const { port, key, close } = await openForOthers()
    const json = { 'content-type': 'application/json' }
    const wrong = await ask(port, '/dev/session', json, 'POST', '{"key":"wrong"}')
    expect([wrong.status, wrong.headers['set-cookie']]).toEqual([401, undefined])
    const open = await ask(port, '/dev/session', json, 'POST', JSON.stringify({ key }))
    const [cookie = ''] = open.headers['set-cookie'] ?? []
    expect(open.status).toBe(200)
    const form = `^localpost_session_${port}=[\\w-]{20,}; Max-Age=86400; Path=/; HttpOnly; SameSite=Strict$`
    expect(cookie).toMatch(new RegExp(form))
    expect(cookie).not.toContain(key)
    const headers = { cookie: `a=b; ${cookie.split(';')[0]}; c=d` }
    expect((await ask(port, '/dev/health', headers)).status).toBe(200)
    expect((await ask(port, '/dev/health', { ...headers, origin: 'http://evil.test' })).status).toBe(403)
    expect((await ask(port, '/v1/emails', headers)).status).toBe(401)
    const ended = await ask(port, '/dev/session', headers, 'DELETE')
    expect(ended.headers['set-cookie']?.[0]).toMatch(/^localpost_session_\d+=; Max-Age=0; /)
    expect((await ask(port, '/dev/health', headers)).status).toBe(401)
    await close()
  })

  test('ends the sessions of a removed key, and no others', async () => {
    const { port, key, close } = await openForOthers()
    const json = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
    const made = await ask(port, '/dev/keys', json, 'POST', '{"name":"Ada"}')
    const { id, value } = JSON.parse(made.body) as { id: string; value: string }
    const sessionOf = async (shown: string): Promise<{ cookie: string }> => {
      const opened = await ask(port, '/dev/session', json, 'POST', JSON.stringify({ key: shown }))
      return { cookie: opened.headers['set-cookie']?.[0]?.split(';')[0] ?? '' }
    }
    const [removed, other] = [await sessionOf(value), await sessionOf(key)]
    expect((await ask(port, '/dev/health', removed)).status).toBe(200)
    expect((await ask(port, `/dev/keys/${id}`, json, 'DELETE')).status).toBe(200)
    expect((await ask(port, '/dev/health', removed)).status).toBe(401)
    expect((await ask(port, '/dev/health', other)).status).toBe(200)
    await close()
  })

  test('masks the keys in their list', async () => {
    const { port, key, close } = await openForOthers()
    const answer = await ask(port, '/dev/keys', { authorization: `Bearer ${key}` })
    expect(answer.status).toBe(200)
    expect(answer.body).not.toContain(key)
    await close()
  })

  test('protects paths that clients would normalise', async () => {
    const { port, close } = await openForOthers()
    for (const path of [
      '/x/../dev/inbox',
      '/./dev/inbox',
      '//dev/inbox',
      '/dev//inbox',
      '/%2e%2e/dev/inbox',
      '/dev\\inbox',
      '/dev/inbox/',
      '/dev/inbox;x',
      '/dev/%2e/inbox',
      'http://localhost/dev/inbox',
      '/v1/../dev/inbox',
      '*',
      '/dev/inbox#x',
      '/dev%2finbox',
      '/DEV/inbox',
    ]) {
      const { status } = await ask(port, path)
      expect([path, status === 401 || status === 404 || status === 400]).toEqual([path, true])
    }
    await close()
  })
})

test('a mail in the frame of the page embeds nothing of /dev but attachments and parts', async () => {
  const face = await openOverSocket({})
  const embedded = async (path: string, dest: string): Promise<number> =>
    (await ask(portOf(face), path, { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': dest })).status
  for (const dest of ['image', 'style', 'font', 'audio', 'video', 'track']) {
    expect(await embedded('/dev/inbox/wait?query=x&timeout_ms=300000', dest)).toBe(403)
    expect(await embedded('/dev/inbox/export', dest)).toBe(403)
    expect(await embedded('/d%65v/inbox/export', dest)).toBe(403)
    expect(await embedded('/dev/inbox/em_1/attachments/0', dest)).toBe(404)
    expect(await embedded('/dev/inbox/em_1/parts/0', dest)).toBe(404)
  }
  expect(await embedded('/dev/inbox', 'empty')).toBe(200)
  // The files of the page itself.
  expect(await embedded('/', 'style')).toBe(200)
})
