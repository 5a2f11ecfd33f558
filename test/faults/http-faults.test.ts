import { expect, test } from 'vitest'
import { describeBoth, openInProcess, type Face } from '../server/_face.ts'
import { goodMail } from '../support/mail.ts'

async function body(response: Response): Promise<unknown> {
  return response.json()
}

async function put(face: Face, faults: object): Promise<unknown> {
  const response = await face.call('PUT', '/dev/faults', { body: faults })
  expect(response.status).toBe(200)
  return body(response)
}

describeBoth('faults of HTTP', (open) => {
  test('are none at first, are shown by health, and end with DELETE', async () => {
    const face = await open()
    const health = async (): Promise<unknown> => body(await face.call('GET', '/dev/health'))
    expect(await body(await face.call('GET', '/dev/faults'))).toBeNull()
    expect(await health()).toMatchObject({ faults: null, warnings: [] })
    const shown = await put(face, { http: [{ path: '/v1/*', status: 503, count: 3 }] })
    expect(shown).toEqual({
      http: [{ path: '/v1/*', status: 503, count: 3 }],
      smtp: [],
      rate_limit: null,
      seed: expect.any(Number) as number,
    })
    expect((await face.call('GET', '/v1/emails')).status).toBe(503)
    expect(await health()).toMatchObject({ faults: { http: [{ count: 2 }] } })
    expect(await body(await face.call('DELETE', '/dev/faults'))).toEqual({ deleted: 1 })
    expect(await health()).toMatchObject({ faults: null })
    expect((await face.call('GET', '/v1/emails')).status).toBe(200)
    expect(await put(face, {})).toBeNull()
  })

  test.each([
    [500, 'internal_error', null],
    [503, 'service_unavailable', '1'],
    [429, 'rate_limit_exceeded', '1'],
  ] as const)('answer %i as %s, before the key is checked', async (status, name, retryAfter) => {
    const face = await open()
    await put(face, { http: [{ path: '/v1/emails', method: 'POST', status }] })
    const response = await face.call('POST', '/v1/emails', { body: goodMail, key: null })
    expect(response.status).toBe(status)
    expect(await body(response)).toEqual({ statusCode: status, name, message: expect.any(String) as string })
    expect(response.headers.get('retry-after')).toBe(retryAfter)
    expect((await face.call('GET', '/v1/emails')).status).toBe(200)
    expect((await face.post.inbox.list()).count).toBe(0)
  })

  test('answer any other status in the same shape', async () => {
    const { post, base } = await open()
    const send = base === 'http://localpost' ? (url: string) => post.fetch(new Request(url)) : fetch
    await post.faults.set({ http: [{ path: '/v1/emails', status: 418 }] })
    const response = await send(`${base}/v1/emails?cursor=x`)
    expect(response.status).toBe(418)
    expect(await body(response)).toMatchObject({ statusCode: 418, name: 'injected_fault' })
  })

  test('wait, and then pass the request on', async () => {
    const face = await open()
    await put(face, { http: [{ path: '/v1/emails', delay_ms: 250 }] })
    const started = performance.now()
    expect((await face.call('POST', '/v1/emails', { body: goodMail })).status).toBe(200)
    expect(performance.now() - started).toBeGreaterThanOrEqual(245)
  })

  test('close the connection without an answer, and the log says so', async () => {
    const face = await open()
    await put(face, { http: [{ path: '/v1/emails', disconnect: true, count: 1 }] })
    const broken = face.call('POST', '/v1/emails', { body: goodMail })
    await expect(broken).rejects.toThrow(TypeError)
    expect((await face.post.inbox.list()).count).toBe(0)
    expect((await face.call('POST', '/v1/emails', { body: goodMail })).status).toBe(200)
    const log = (await body(await face.call('GET', '/dev/requests'))) as { requests: unknown[] }
    expect(log.requests).toMatchObject([
      { status: 200 },
      { status: 0, warnings: [expect.stringMatching(/connection closed/) as string] },
    ])
    expect(JSON.stringify(log)).not.toContain(face.post.apiKey)
  })

  test('apply to the given path and method, and never to /dev', async () => {
    const face = await open()
    await put(face, {
      http: [
        { path: '/v1/domains', status: 500 },
        { path: '/v1/audiences/*/contacts', status: 503 },
        { path: '*', method: 'POST', status: 429 },
      ],
    })
    const status = async (method: string, path: string): Promise<number> =>
      (await face.call(method, path, method === 'POST' ? { body: {} } : {})).status
    expect(await status('GET', '/v1/domains')).toBe(500)
    expect(await status('GET', '/v1/domains/x')).toBe(404)
    expect(await status('GET', '/v1/audiences/x/contacts')).toBe(503)
    expect(await status('POST', '/v1/emails')).toBe(429)
    expect(await status('POST', '/dev/templates')).toBe(405)
    expect(await status('POST', '/dev/keys')).toBe(201)
    expect(await status('GET', '/dev/faults')).toBe(200)
  })

  test('limit the rate at run time, per key, until they are removed', async () => {
    const face = await open()
    const other = (await body(await face.call('POST', '/dev/keys'))) as { value: string }
    await put(face, { rate_limit: { requests: 2, per_ms: 60_000 } })
    const first = await face.call('GET', '/v1/emails')
    expect([first.status, first.headers.get('ratelimit-limit')]).toEqual([200, '2'])
    await face.call('GET', '/v1/emails')
    const refused = await face.call('GET', '/v1/emails')
    expect([refused.status, await body(refused)]).toMatchObject([429, { name: 'rate_limit_exceeded' }])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('ratelimit-remaining')).toBe('0')
    expect((await face.call('GET', '/v1/emails', { key: other.value })).status).toBe(200)
    expect(await body(await face.call('DELETE', '/dev/faults'))).toEqual({ deleted: 1 })
    const after = await face.call('GET', '/v1/emails')
    expect([after.status, after.headers.get('ratelimit-limit')]).toEqual([200, null])
  })

  test('with the same seed affect the same requests, whatever other faults do', async () => {
    const fault = { path: '/v1/emails', status: 503, rate: 0.3 }
    const struck = async (faults: object): Promise<string> => {
      const face = await open()
      await put(face, faults)
      const statuses = []
      for (let i = 0; i < 40; i++) statuses.push((await face.call('GET', '/v1/emails')).status)
      return statuses.join(' ')
    }
    const first = await struck({ http: [fault], seed: 1 })
    const smtp = [{ stage: 'rcpt', code: 450, rate: 0.5 }]
    expect(await struck({ http: [fault], smtp, seed: 1 })).toBe(first)
    expect(await struck({ http: [fault], seed: 2 })).not.toBe(first)
    const count = first.split('503').length - 1
    expect(count).toBeGreaterThan(4)
    expect(count).toBeLessThan(22)
  })
})

test('a fault that skips a request leaves it to the next one', async () => {
  const { call, post } = await openInProcess()
  const http = [
    { path: '/v1/*', status: 500, rate: 0 },
    { path: '/v1/*', status: 503, count: 1 },
  ]
  await post.faults.set({ http })
  expect((await call('GET', '/v1/emails')).status).toBe(503)
  expect((await call('GET', '/v1/emails')).status).toBe(200)
})

test.each(['/*', '/v*', '/v1*'])('a fault of the path %s applies to requests to /v1', async (path) => {
  const { call, post } = await openInProcess()
  await post.faults.set({ http: [{ path, status: 503 }] })
  expect((await call('GET', '/v1/emails')).status).toBe(503)
})

test('a configured fault with status 500 causes no notice about an error of Localpost', async () => {
  const notices: unknown[] = []
  const { call, post } = await openInProcess({ onNotice: (notice) => notices.push(notice) })
  await post.faults.set({ http: [{ path: '*', status: 500 }] })
  expect((await call('GET', '/v1/emails')).status).toBe(500)
  expect(notices).toEqual([])
})

test.each([
  [{ http: [{ path: '/dev/inbox', status: 500 }] }, 'http[0].path'],
  [{ http: [{ path: '/v10', status: 500 }] }, 'http[0].path'],
  [{ http: [{ path: '/dev*', status: 500 }] }, 'http[0].path'],
  [{ http: [{ path: '/v1/*' }] }, 'http[0]'],
  [{ http: [{ path: '/v1/*', status: 200 }] }, 'http[0].status'],
  [{ http: [{ path: '/v1/*', status: 500, disconnect: true }] }, 'http[0].disconnect'],
  [{ http: [{ path: '/v1/*', status: 500, rate: 1.5 }] }, 'http[0].rate'],
  [{ http: [{ path: '/v1/*', delay_ms: 60_001 }] }, 'http[0].delay_ms'],
  [{ smtp: [{ stage: 'helo', code: 500 }] }, 'smtp[0].stage'],
  [{ smtp: [{ stage: 'rcpt', code: 250 }] }, 'smtp[0].code'],
  [{ smtp: [{ stage: 'rcpt', delay_ms: 1 }, { stage: 'rcpt' }] }, 'smtp[1]'],
  [{ smtp: [{ stage: 'rcpt', delay_ms: 1, text: 'No' }] }, 'smtp[0].text'],
  [{ smtp: [{ stage: 'rcpt', code: 550, text: 'a\nb' }] }, 'smtp[0].text'],
  [{ smtp: [{ stage: 'rcpt', code: 550, count: -1 }] }, 'smtp[0].count'],
  [{ rate_limit: { requests: 1 } }, 'rate_limit.per_ms'],
  [{ seed: 2 ** 32 }, 'seed'],
  [{ https: [] }, 'body'],
])('invalid faults are refused with their position: %j', async (wrong, field) => {
  const { call, post } = await openInProcess()
  const response = await call('PUT', '/dev/faults', { body: wrong })
  expect([response.status, await body(response)]).toMatchObject([422, { errors: [{ field }] }])
  expect(await post.faults.get()).toBeNull()
})
