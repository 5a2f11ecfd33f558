import { describe, expect, test } from 'vitest'
import type { ServerDeps } from '../../src/server/deps.ts'
import { describeBoth, openInProcess, openOverSocket, outcome } from './_face.ts'
import { hollowApp } from './validate-response.ts'
import { goodMail } from '../support/mail.ts'

describeBoth('access to /v1', (open) => {
  test('is refused without a key: 401 missing_api_key with WWW-Authenticate', async () => {
    const { call } = await open()
    for (const headers of [
      {},
      { authorization: 'Basic YTpi' },
      { authorization: 'Bearer' },
      { authorization: 'Bearer  ' },
    ]) {
      const response = await call('GET', '/v1/emails', {
        key: null,
        headers: headers as Record<string, string>,
      })
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer\b/)
      expect(await outcome(response)).toEqual([401, 'missing_api_key'])
    }
  })

  test('is refused with a wrong key, of which only the first characters are shown', async () => {
    const { call } = await open()
    const key = 'lp_0123456789abcdefghijklmnopqrstuv'
    const response = await call('GET', '/v1/emails', { key })
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer\b/)
    const body = await response.clone().text()
    expect(body).not.toContain(key)
    expect(await outcome(response)).toEqual([401, 'invalid_api_key'])
  })

  test('accepts the scheme in any case', async () => {
    const { call, post } = await open()
    for (const scheme of ['bearer', 'BEARER', 'Bearer ']) {
      const headers = { authorization: `${scheme} ${post.apiKey}` }
      expect((await call('GET', '/v1/emails', { key: null, headers })).status).toBe(200)
    }
  })

  test('is refused before the body is read', async () => {
    const { call } = await open()
    const response = await call('POST', '/v1/emails', {
      key: null,
      raw: '{broken',
      headers: { 'content-type': 'text/plain' },
    })
    expect(await outcome(response)).toEqual([401, 'missing_api_key'])
  })

  test('accepts any key with acceptAnyKey, but not none', async () => {
    const { call } = await open({ acceptAnyKey: true })
    expect((await call('GET', '/v1/emails', { key: 'whatever' })).status).toBe(200)
    expect((await call('GET', '/v1/emails', { key: null })).status).toBe(401)
  })

  test('requires a key whatever the spelling of the path, and whether or not it exists', async () => {
    const { call } = await open()
    for (const path of ['/v%31/emails', '/v1/emails/', '/v1/%65mails', '/v1/nothing', '/v1']) {
      const refused = await call('GET', path, { key: null })
      expect([path, ...(await outcome(refused))]).toEqual([path, 401, 'missing_api_key'])
    }
  })

  test('is not bypassed by dots, doubled slashes, backslashes or encoded separators', async () => {
    const { call } = await open()
    for (const path of [
      '/x/../v1/emails',
      '//v1/emails',
      '/v1//emails',
      '/%76%31/emails',
      '/v1%2Femails',
      '/dev/../v1/emails',
      '/./v1/emails',
      '/v1\\emails',
      '/V1/emails',
    ]) {
      const response = await call('GET', path, { key: null })
      expect([path, response.status]).toEqual([path, response.status === 401 ? 401 : 404])
    }
  })
})

describeBoth('bodies', (open) => {
  test('are accepted as application/json, with a charset or a +json suffix', async () => {
    const { call } = await open()
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'Application/JSON;charset="UTF-8"',
      'application/vnd.acme+json',
    ]) {
      const response = await call('POST', '/v1/emails', {
        raw: JSON.stringify(goodMail),
        headers: { 'content-type': type },
      })
      expect([type, response.status]).toEqual([type, 200])
    }
  })

  test('of another type, charset or encoding are 415', async () => {
    const { call } = await open()
    const raw = JSON.stringify(goodMail)
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'application/jsonp' },
      { 'content-type': 'application/json; charset=iso-8859-1' },
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      { 'content-type': '' },
    ]) {
      const response = await call('POST', '/v1/emails', { raw, headers: headers as Record<string, string> })
      expect(await outcome(response)).toEqual([415, 'unsupported_media_type'])
    }
    expect(await outcome(await call('POST', '/v1/emails', { raw: new Uint8Array(2) }))).toEqual([
      415,
      'unsupported_media_type',
    ])
  })

  test('that are not JSON are 400 with the place of the error', async () => {
    const { call } = await open()
    for (const [raw, place] of [
      ['{"a": 1,\n "b": tru}', 'tru}'],
      ['{"a": 1,}', 'line 1, column 9'],
      ['{"a": "b', 'line 1, column 9'],
      ['', 'empty'],
      [' \n', 'empty'],
    ] as const) {
      const response = await call('POST', '/v1/emails', {
        raw,
        headers: { 'content-type': 'application/json' },
      })
      const { message } = (await response.clone().json()) as { message: string }
      expect(message).toContain(place)
      expect(await outcome(response)).toEqual([400, 'invalid_json'])
    }
  })

  test('that are not UTF-8 are 400; a byte order mark is allowed', async () => {
    const { call } = await open()
    const headers = { 'content-type': 'application/json' }
    const latin1 = Buffer.from(JSON.stringify({ ...goodMail, subject: 'Grüße' }), 'latin1')
    expect(await outcome(await call('POST', '/v1/emails', { raw: latin1, headers }))).toEqual([
      400,
      'invalid_json',
    ])
    expect(
      (await call('POST', '/v1/emails', { raw: `\ufeff${JSON.stringify(goodMail)}`, headers })).status,
    ).toBe(200)
  })

  test('that are JSON but not an object are 422', async () => {
    const { call } = await open()
    for (const body of [[], 'text', 1, null, true]) {
      for (const path of ['/v1/emails', '/v1/domains']) {
        const response = await call('POST', path, { body })
        expect(await response.clone().json()).toMatchObject({ errors: [{ field: 'body' }] })
        expect(await outcome(response)).toEqual([422, 'validation_error'])
      }
    }
  })

  test('in chunks and without a length are read completely', async () => {
    const { call } = await open()
    const bytes = new TextEncoder().encode(JSON.stringify({ ...goodMail, text: 'ä'.repeat(200_000) }))
    const raw = new ReadableStream<Uint8Array>({
      async start(controller) {
        for (let at = 0; at < bytes.length; at += 65_537) controller.enqueue(bytes.slice(at, at + 65_537))
        controller.close()
      },
    })
    const sent = await call('POST', '/v1/emails', { raw, headers: { 'content-type': 'application/json' } })
    expect(sent.status).toBe(200)
    const { id } = (await sent.json()) as { id: string }
    expect(await (await call('GET', `/v1/emails/${id}`)).json()).toMatchObject({ text: 'ä'.repeat(200_000) })
  })

  test('larger than 50 MiB without a length are 413, and nothing is stored', async () => {
    const { call } = await open()
    const piece = new Uint8Array(1024 * 1024).fill(32)
    let sent = 0
    const raw = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent++ === 55) controller.close()
        else controller.enqueue(piece)
      },
    })
    const response = await call('POST', '/v1/emails', {
      raw,
      headers: { 'content-type': 'application/json' },
    })
    expect(await outcome(response)).toEqual([413, 'payload_too_large'])
    expect(await (await call('GET', '/v1/emails')).json()).toMatchObject({ count: 0 })
  })

  test('cannot change prototypes', async () => {
    const { call } = await open()
    const raw = JSON.stringify(goodMail).replace(
      '{',
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"variables":{"__proto__":"x"},',
    )
    const response = await call('POST', '/v1/emails', {
      raw,
      headers: { 'content-type': 'application/json' },
    })
    expect(response.status).toBe(200)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })
})

describe('bodies with an announced length', () => {
  test('larger than 50 MiB are 413 before a byte is read', async () => {
    const { call } = await openInProcess()
    let isRead = false
    const raw = new ReadableStream<Uint8Array>({ pull: () => void (isRead = true) }, { highWaterMark: 0 })
    const headers = { 'content-type': 'application/json', 'content-length': String(50 * 1024 * 1024 + 1) }
    expect(await outcome(await call('POST', '/v1/emails', { raw, headers }))).toEqual([
      413,
      'payload_too_large',
    ])
    expect(isRead).toBe(false)
  })

  test('are answered also to a client that sends first and reads later', async () => {
    const { call } = await openOverSocket()
    const raw = new Uint8Array(51 * 1024 * 1024)
    const response = await call('POST', '/v1/emails', {
      raw,
      headers: { 'content-type': 'application/json' },
    })
    expect(await outcome(response)).toEqual([413, 'payload_too_large'])
  })
})

describe('an internal error', () => {
  test('answers 500 internal_error, shows no details, and is reported', async () => {
    const notices: unknown[] = []
    const fault = new TypeError('secret /home/ada path')
    const domains = { list: () => Promise.reject(fault) } as unknown as ServerDeps['domains']
    const app = hollowApp({ domains, onError: (error) => notices.push(error) })
    const headers = { authorization: 'Bearer the-only-key-there-is' }
    const response = await app.fetch(new Request('http://localpost/v1/domains', { headers }))
    expect(await response.clone().text()).not.toContain('secret')
    expect(await outcome(response)).toEqual([500, 'internal_error'])
    expect(notices).toEqual([fault])
  })

  test('after close is no answer: fetch throws closed', async () => {
    const { call, post } = await openInProcess()
    await post.close()
    await expect(call('GET', '/v1/emails')).rejects.toMatchObject({ code: 'closed' })
    await expect(call('POST', '/v1/emails', { body: goodMail })).rejects.toMatchObject({ code: 'closed' })
  })
})
