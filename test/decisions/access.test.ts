import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { renderBanner } from '../../src/cli/banner.ts'
import type { Settings } from '../../src/cli/settings.ts'
import type { LoggedRequest } from '../../src/server/types.ts'
import { lastingPlace } from '../support/adapters.ts'
import { open, openOverSocket, refusalOf, shared, type Face } from './helpers.ts'
import { goodMail } from '../support/mail.ts'

const face = shared()
const withKey = (key: string | null, of: Face): Promise<Response> => of.call('GET', '/v1/emails', { key })
const operations = [
  ['GET', '/v1/emails'],
  ['POST', '/v1/emails'],
  ['GET', '/v1/emails/em_x'],
  ['GET', '/v1/domains'],
  ['POST', '/v1/domains'],
  ['GET', '/v1/domains/dom_x'],
  ['GET', '/v1/audiences'],
  ['GET', '/v1/audiences/aud_x/contacts'],
] as const

describe('API keys', () => {
  it('access.keys: one is created at the first start and stored with the data', async () => {
    const place = lastingPlace()
    const first = await open(place)
    expect(first.post.apiKey).toMatch(/^lp_.{30,}$/)
    await first.post.close()
    const second = await open(place)
    expect(second.post.apiKey).toBe(first.post.apiKey)
    expect((await withKey(first.post.apiKey, second)).status).toBe(200)
    expect((await open()).post.apiKey).not.toBe(first.post.apiKey)
  })

  it('access.keys: it is printed in the banner, in full for the page on this machine', async () => {
    const listening = await openOverSocket()
    const { post } = listening
    const settings = { options: {}, warnings: [] } as unknown as Settings
    expect(renderBanner(post, settings, '0.0.0')).toContain(post.apiKey)
    const { keys } = await listening.get<{ keys: { value: string }[] }>('/dev/keys')
    expect(keys.map(({ value }) => value)).toEqual([post.apiKey])
  })

  it('access.keys: options set other keys', async () => {
    const given = await open({ apiKeys: ['key-one', 'key-two'] })
    expect(given.post.apiKey).toBe('key-one')
    for (const key of ['key-one', 'key-two']) expect((await withKey(key, given)).status).toBe(200)
    for (const key of ['key-three', 'key-on', 'KEY-ONE', 'key-one ,', face().post.apiKey]) {
      expect((await withKey(key, given)).status, key).toBe(401)
    }
  })

  it('access.keys: `acceptAnyKey` accepts any Bearer value that is not empty', async () => {
    const any = await open({ acceptAnyKey: true })
    for (const key of ['x', 'anything at all', '0']) expect((await withKey(key, any)).status, key).toBe(200)
    for (const key of [null, '', ' ']) expect((await withKey(key, any)).status).toBe(401)
  })

  it('access.keys: all are compared in constant time, whichever matches and whatever it looks like', async () => {
    const real = crypto.timingSafeEqual
    let compared: number[] = []
    crypto.timingSafeEqual = (a, b) => (compared.push(a.byteLength, b.byteLength), real(a, b))
    syncBuiltinESMExports()
    onTestFinished(() => {
      crypto.timingSafeEqual = real
      syncBuiltinESMExports()
    })
    const given = await open({ apiKeys: ['key-one', 'key-two'] })
    const counts: number[] = []
    for (const key of ['key-one', 'key-two', 'x', 'key-onf', 'x'.repeat(5000)]) {
      compared = []
      await withKey(key, given)
      counts.push(compared.length)
      expect(new Set(compared).size).toBe(1)
    }
    // Two given ones and the stored one, each time.
    expect(counts).toEqual([6, 6, 6, 6, 6])
  })

  it('access.keys: they are never logged unmasked', async () => {
    const said: string[] = []
    const own = await open({ onNotice: ({ message }) => said.push(message) })
    const wrong = 'lp_wrong-but-perhaps-of-another-instance'
    for (const key of [own.post.apiKey, wrong]) {
      const body = { ...goodMail, subject: `my key is ${key}`, unknown: key }
      await own.call('POST', '/v1/emails', { key, body })
      await own.call('GET', `/v1/emails?cursor=${key}`, { key })
      await own.call('GET', `/v1/${key}`, { key })
    }
    const { requests } = await own.get<{ requests: LoggedRequest[] }>('/dev/requests')
    expect(requests).toHaveLength(6)
    const log = JSON.stringify(requests) + said.join('\n')
    for (const key of [own.post.apiKey, wrong]) expect(log).not.toContain(key)
    expect(requests.every(({ api_key }) => api_key !== null && api_key.includes('…'))).toBe(true)
  })
})

describe('without the right key', () => {
  it.each(operations)('access.missing-key: %s %s needs one', async (method, path) => {
    const body = method === 'POST' ? {} : undefined
    for (const [headers, name] of [
      [{}, 'missing_api_key'],
      [{ authorization: '' }, 'missing_api_key'],
      [{ authorization: 'Bearer' }, 'missing_api_key'],
      [{ authorization: 'Bearer ' }, 'missing_api_key'],
      [{ authorization: `Basic ${btoa(`x:${face().post.apiKey}`)}` }, 'missing_api_key'],
      [{ authorization: face().post.apiKey }, 'missing_api_key'],
      [{ authorization: 'Bearer wrong' }, 'invalid_api_key'],
      [{ authorization: `Bearer ${face().post.apiKey}x` }, 'invalid_api_key'],
      [{ 'x-api-key': face().post.apiKey }, 'missing_api_key'],
    ] satisfies [Record<string, string>, string][]) {
      const response = await face().call(method, path, { key: null, headers, body })
      expect(response.headers.get('www-authenticate'), name).toMatch(/^Bearer/)
      expect(await refusalOf(response)).toMatchObject({ status: 401, name })
    }
  })

  it('access.missing-key: it is refused before the body is read', async () => {
    let pulled = 0
    const raw = new ReadableStream({ pull: () => void pulled++ }, { highWaterMark: 0 })
    const headers = { 'content-type': 'application/json' }
    const response = await face().call('POST', '/v1/emails', { key: 'wrong', raw, headers })
    expect([response.status, pulled]).toEqual([401, 0])
    // Errors in the body do not matter either.
    const broken = await face().call('POST', '/v1/emails', {
      key: null,
      raw: '{',
      headers: { 'content-type': 'x/y' },
    })
    expect(broken.status).toBe(401)
  })

  it('access.missing-key: over a socket, the answer is sent before the body arrives', async () => {
    const { post } = await openOverSocket()
    const { hostname, port } = new URL(post.url ?? '')
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    socket.write(
      `POST /v1/emails HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
    )
    const answer = await new Promise<string>((resolve) =>
      socket.once('data', (bytes) => resolve(bytes.toString())),
    )
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
    expect(answer.toLowerCase()).toContain('www-authenticate: bearer')
  })
})

describe('ids', () => {
  it('access.unknown-id: 404 not_found, whatever the id looks like', async () => {
    const sent = await face().send()
    const { domain_id } = await face().detail(sent)
    const odd = [
      'x',
      '0',
      'em_',
      `${sent}0`,
      sent.slice(0, -1),
      sent.toUpperCase(),
      'ü',
      'a%2Fb',
      '%E0',
      '..%2F',
      '%00',
      '__proto__',
    ]
    const paths = [
      ...[...odd, domain_id].map((id) => `/v1/emails/${id}`),
      ...[...odd, sent].map((id) => `/v1/domains/${id}`),
      ...[...odd, sent].map((id) => `/v1/audiences/${id}/contacts`),
    ]
    for (const path of paths) {
      const answer = await refusalOf(await face().call('GET', path))
      expect(answer, path).toMatchObject({ status: 404, name: 'not_found' })
    }
  })
})

describe('the rate limit', () => {
  it('access.rate-limit: by default there is none', async () => {
    for (let i = 0; i < 300; i++) {
      const response = await face().call('GET', '/v1/audiences')
      expect(response.status).toBe(200)
      expect(response.headers.get('ratelimit-limit')).toBeNull()
    }
  })

  it('access.rate-limit: the option answers 429 with Retry-After, and every answer has the limit headers', async () => {
    let now = 1_767_323_045_000
    const clock = { now: () => now, after: () => () => undefined }
    const limited = await open({ clock, rateLimit: { requests: 2, perMs: 60_000 } })
    const seen: (string | null)[][] = []
    for (let i = 0; i < 3; i++) {
      const response = await withKey(limited.post.apiKey, limited)
      const { headers, status } = response
      const values = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'retry-after'].map(
        (name) => headers.get(name),
      )
      seen.push([String(status), ...values])
      if (status === 429) expect(await refusalOf(response)).toMatchObject({ name: 'rate_limit_exceeded' })
    }
    expect(seen).toEqual([
      ['200', '2', '1', '60', null],
      ['200', '2', '0', '60', null],
      ['429', '2', '0', '60', '60'],
    ])
    expect((await limited.call('GET', '/dev/requests')).status).toBe(200)
    now += 60_000
    expect((await withKey(limited.post.apiKey, limited)).status).toBe(200)
  })
})

describe('waits', () => {
  it('access.wait-timeout: 404 with the nearest misses, which no client repeats by itself', async () => {
    await face().call('POST', '/v1/emails', { body: goodMail })
    const path = '/dev/inbox/wait?query=to:nobody@example.com&timeout_ms=1'
    expect(await refusalOf(await face().call('GET', path))).toMatchObject({
      status: 404,
      name: 'wait_timeout',
      message: expect.stringContaining('The nearest misses: em_') as string,
    })
  })
})
