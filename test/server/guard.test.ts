import { request, type IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { hostOf } from '../../src/server/guard.ts'
import { describeBoth, openInProcess, openOverSocket, type Face } from './_face.ts'
import { createLocalpost } from '../../src/instance/create.ts'

interface RawAnswer {
  status: number
  headers: IncomingMessage['headers']
  body: string
}

/** A raw request: with any Host, and a path that no client normalises. */
function ask(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body = '',
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      )
    })
    sent.on('error', reject).end(body)
  })
}

const portOf = (face: Face): number => Number(new URL(face.base).port)

describe('the Host header', () => {
  test('may name loopback, in every spelling and with any port', async () => {
    const face = await openOverSocket()
    for (const host of [
      'localhost',
      'LOCALHOST:1',
      'localhost.',
      'app.localhost:8025',
      '127.0.0.1',
      '127.9.8.7:80',
      '[::1]:8025',
      '[::1]',
    ]) {
      expect([host, (await ask(portOf(face), '/dev/health', { host })).status]).toEqual([host, 200])
    }
  })

  test('is refused on every path where it names another host: 403 forbidden_host', async () => {
    const face = await openOverSocket()
    const foreign = [
      'evil.test',
      'localhost.evil.test',
      '127.0.0.1.evil.test',
      'localhost@evil.test',
      '[::2]',
      '10.0.0.1',
      'notlocalhost',
      '127.0.0.1:x',
    ]
    for (const host of foreign) {
      for (const path of ['/', '/dev/health', '/v1/emails', '/nothing']) {
        const answer = await ask(portOf(face), path, { host })
        expect([host, path, answer.status]).toEqual([host, path, 403])
        expect(JSON.parse(answer.body)).toMatchObject({ statusCode: 403, name: 'forbidden_host' })
      }
    }
  })

  test('may be one of allowHosts, or that of publicUrl', async () => {
    const face = await openOverSocket({
      allowHosts: ['mail.acme.test', 'Other.test:99'],
      publicUrl: 'http://box.lan:8025',
    })
    for (const host of ['mail.acme.test', 'MAIL.acme.test:80', 'other.test', 'box.lan']) {
      const headers = { host, authorization: `Bearer ${face.post.apiKey}` }
      expect([host, (await ask(portOf(face), '/v1/emails', headers)).status]).toEqual([host, 200])
    }
    expect((await ask(portOf(face), '/v1/emails', { host: 'x.mail.acme.test' })).status).toBe(403)
  })

  test('is not checked in process', async () => {
    const { post } = await openInProcess()
    expect((await post.fetch(new Request('https://app.acme.test/dev/health'))).status).toBe(200)
  })

  test('is parsed as a host, with or without port, and nothing else', () => {
    expect(['a.test:1', '[::1]:2', 'A.Test.', 'a'].map(hostOf)).toEqual(['a.test', '::1', 'a.test', 'a'])
    expect(['', ' ', 'a b', 'a/b', 'a:b', ':80', '::1', 'a@b', '[x]'].map(hostOf)).toEqual(
      Array(9).fill(null),
    )
  })
})

describeBoth('pages of other origins', (open) => {
  test('are refused at /dev and at the page, whatever the spelling: 403 forbidden_origin', async () => {
    const { call } = await open()
    for (const headers of [
      { origin: 'http://evil.test' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ] as Record<string, string>[]) {
      for (const path of [
        '/dev/health',
        '/dev/inbox',
        '/d%65v/inbox',
        '/dev/nothing',
        '/',
        '/index.html',
        '/dev/session',
      ]) {
        const response = await call('GET', path, { headers })
        expect([path, response.status]).toEqual([path, 403])
        expect(await response.json()).toMatchObject({ name: 'forbidden_origin' })
      }
    }
    const removal = await call('DELETE', '/dev/inbox?all=true', {
      headers: { origin: 'http://localhost:3000' },
    })
    expect(removal.status).toBe(403)
  })

  test('of our own origin are accepted, and so are clients that are not browsers', async () => {
    const { call, base } = await open()
    for (const headers of [
      {},
      { origin: base },
      { origin: base, 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
    ] as Record<string, string>[]) {
      expect((await call('GET', '/dev/health', { headers })).status).toBe(200)
    }
  })

  test('do not matter for /v1, which needs a key', async () => {
    const { call } = await open()
    expect((await call('GET', '/v1/emails', { headers: { origin: 'http://localhost:3000' } })).status).toBe(
      200,
    )
  })
})

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

  test('accepts a key or a session, and then shows no whole key', async () => {
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
    const post = await createLocalpost()
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

  test('does not show whole keys in their list', async () => {
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
