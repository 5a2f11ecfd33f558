import { describe, expect, test } from 'vitest'
import { hostOf } from '../../src/server/guard.ts'
import { ask, portOf } from './_ask.ts'
import { describeBoth, openInProcess, openOverSocket } from './_face.ts'

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
