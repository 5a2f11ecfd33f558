import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { createIds } from '../../src/core/ids.ts'
import type { ListPage } from '../../src/core/lists.ts'
import { beginExchange, createRequestLog } from '../../src/server/request-log.ts'
import type { LoggedRequest } from '../../src/server/types.ts'
import { adapterOfTests } from '../support/adapters.ts'
import { describeBoth, openInProcess, openOverSocket, type Face } from './_face.ts'
import { goodMail } from '../support/mail.ts'

async function idOf(response: Response): Promise<string> {
  return ((await response.json()) as { id: string }).id
}

async function read<T>(face: Face, path: string): Promise<T> {
  return (await (await face.call('GET', path)).json()) as T
}

describeBoth('/dev', (open) => {
  test('reports its health', async () => {
    const face = await open()
    await face.call('POST', '/v1/emails', { body: goodMail })
    const health = await read<{ url: string | null }>(face, '/dev/health')
    expect(health).toMatchObject({
      status: 'ok',
      smtp: face.post.smtp,
      counts: { emails: 1, domains: 1, audiences: 0, contacts: 0, templates: 0 },
      faults: null,
      warnings: [],
    })
    expect(health.url).toBe(face.post.url)
  })

  test('gives metrics in the text format of Prometheus', async () => {
    const face = await open()
    await face.call('POST', '/v1/emails', { body: goodMail })
    const answer = await face.call('GET', '/dev/metrics')
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const text = await answer.text()
    const [, store] = /^localpost_info\{version="\d[^"]*",store="(\w+)"\} 1$/m.exec(text) ?? []
    expect(store).toBe(adapterOfTests().toLowerCase())
    expect(text).toMatch(/^localpost_accepting 1$/m)
    expect(text).toMatch(/^localpost_records\{kind="emails"\} 1$/m)
    expect(text.includes('localpost_database')).toBe(store === 'postgresql')
    const names = [...text.matchAll(/^# TYPE (\S+) (?:gauge|counter)$/gm)].map(([, name]) => name)
    for (const line of text
      .trimEnd()
      .split('\n')
      .filter((one) => !one.startsWith('#')))
      expect(names).toContain(
        /^([a-z_]+)(?:\{[a-z_]+="[^"]*"(?:,[a-z_]+="[^"]*")*\})? [\d.e+-]+$/.exec(line)?.[1],
      )
  })

  test('lists as many items as a query asks for, and refuses a misspelt parameter', async () => {
    const { call } = await open()
    for (const address of ['ada@x.test', 'bob@x.test'])
      await call('POST', '/dev/suppressions', { body: { address } })
    const page = await (await call('GET', '/dev/suppressions?limit=1')).json()
    expect(page).toMatchObject({ count: 2, suppressions: [{ address: 'ada@x.test' }] })
    for (const list of ['suppressions', 'scheduled', 'broadcasts', 'webhooks/deliveries', 'templates']) {
      const answer = await call('GET', `/dev/${list}?limmit=1`)
      expect([list, answer.status]).toEqual([list, 422])
      expect(await answer.json()).toMatchObject({ message: expect.stringContaining('limmit') })
    }
  })

  test('changes, verifies, describes and removes domains', async () => {
    const face = await open()
    const id = await idOf(await face.call('POST', '/v1/domains', { body: { name: 'acme.com' } }))
    const changed = await face.call('PATCH', `/dev/domains/${id}`, { body: { open_tracking_enabled: true } })
    expect(await changed.json()).toMatchObject({ open_tracking_enabled: true, click_tracking_enabled: false })
    const verified = await face.call('POST', `/dev/domains/${id}/verify`, { body: { status: 'SUCCESS' } })
    expect(await verified.json()).toMatchObject({ status: 'SUCCESS', verified_for_sending_status: true })
    expect((await face.call('POST', `/dev/domains/${id}/verify`, { body: { status: 'WRONG' } })).status).toBe(
      422,
    )
    const zone = await face.call('GET', `/dev/domains/${id}/zone`)
    expect(zone.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await zone.text()).toContain('_dmarc')
    expect(await (await face.call('DELETE', `/dev/domains/${id}`)).json()).toEqual({ deleted: 1 })
    for (const [method, path] of [
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/verify'],
      ['GET', '/records'],
      ['GET', '/zone'],
    ] as const) {
      const response = await face.call(
        method,
        `/dev/domains/${id}${path}`,
        method === 'POST' ? { body: { status: 'SUCCESS' } } : method === 'PATCH' ? { body: {} } : {},
      )
      expect([path, response.status]).toEqual([path, 404])
    }
  })

  test('creates, renames and removes audiences', async () => {
    const face = await open()
    const made = await face.call('POST', '/dev/audiences', { body: { name: 'Beta' } })
    expect(made.status).toBe(201)
    const id = await idOf(made)
    const renamed = await face.call('PATCH', `/dev/audiences/${id}`, { body: { name: 'Gamma' } })
    expect(await renamed.json()).toMatchObject({ id, name: 'Gamma' })
    expect((await face.call('POST', '/dev/audiences', { body: { name: '' } })).status).toBe(422)
    expect(await (await face.call('DELETE', `/dev/audiences/${id}`)).json()).toEqual({ deleted: 1 })
    expect((await face.call('DELETE', `/dev/audiences/${id}`)).status).toBe(404)
  })

  test('accepts contacts one by one, as an array, and as CSV', async () => {
    const face = await open()
    const id = await idOf(await face.call('POST', '/dev/audiences', { body: { name: 'Beta' } }))
    const path = `/dev/audiences/${id}/contacts`
    const one = await face.call('POST', path, { body: { email: 'ada@example.com' } })
    expect(await one.json()).toEqual({ created: 1, updated: 0, rejected: [] })
    const many = await face.call('POST', path, {
      body: [{ email: 'ADA@example.com', first_name: 'Ada' }, { email: 'no' }, 7],
    })
    expect(await many.json()).toMatchObject({ created: 0, updated: 1, rejected: [{ line: 2 }, { line: 3 }] })
    const csv = await face.call('POST', path, {
      raw: 'email,first_name\nbob@example.com,Bob\n',
      headers: { 'content-type': 'text/csv; charset=utf-8' },
    })
    expect(await csv.json()).toEqual({ created: 1, updated: 0, rejected: [] })
    const wrong = await face.call('POST', path, { raw: 'x', headers: { 'content-type': 'text/html' } })
    expect([wrong.status, await wrong.json()]).toMatchObject([
      415,
      { message: expect.stringContaining('text/csv') as string },
    ])
    const { contacts } = await read<{ contacts: { id: string; email: string }[] }>(
      face,
      `/v1/audiences/${id}/contacts`,
    )
    const [ada] = contacts
    const changed = await face.call('PATCH', `${path}/${ada?.id}`, { body: { is_subscribed: false } })
    expect(await changed.json()).toMatchObject({ first_name: 'Ada', is_subscribed: false })
    expect(await (await face.call('DELETE', `${path}/${ada?.id}`)).json()).toEqual({ deleted: 1 })
    expect((await face.call('PATCH', `${path}/${ada?.id}`, { body: {} })).status).toBe(404)
  })

  test('predicts the result of an import, and stores nothing', async () => {
    const face = await open()
    const id = await idOf(await face.call('POST', '/dev/audiences', { body: { name: 'Beta' } }))
    const path = `/dev/audiences/${id}/contacts`
    await face.call('POST', path, { body: { email: 'ada@example.com' } })
    const csv = {
      raw: 'email,first_name\nADA@example.com,Ada\nnobody,\nbob@example.com,Bob\nBob@example.com,Rob\n',
      headers: { 'content-type': 'text/csv' },
    }
    const foreseen = await (await face.call('POST', `${path}?dry_run=true`, csv)).json()
    expect(foreseen).toMatchObject({ created: 1, updated: 2, rejected: [{ line: 3 }] })
    expect(await read(face, `/v1/audiences/${id}/contacts`)).toMatchObject({
      contacts: [{ email: 'ada@example.com', first_name: null }],
    })
    expect(await (await face.call('POST', `${path}?dry_run=false`, csv)).json()).toEqual(foreseen)
    expect((await face.call('POST', `${path}?dry_run=maybe`, csv)).status).toBe(422)
    const headless = await face.call('POST', `${path}?dry_run=true`, { ...csv, raw: 'a,b\n1,2\n' })
    expect(headless.status).toBe(422)
  })

  test('stores, reads, lists and removes templates', async () => {
    const face = await open()
    expect(
      (await face.call('PUT', '/dev/templates/welcome', { body: { subject: 'Hi', text: 'Hello' } })).status,
    ).toBe(200)
    expect(await read(face, '/dev/templates/welcome')).toMatchObject({ id: 'welcome', html: null })
    expect(await read(face, '/dev/templates?limit=1')).toMatchObject({
      count: 1,
      cursor: null,
      templates: [{ id: 'welcome' }],
    })
    expect((await face.call('PUT', '/dev/templates/a%20b', { body: { text: 'x' } })).status).toBe(422)
    expect(await (await face.call('DELETE', '/dev/templates/welcome')).json()).toEqual({ deleted: 1 })
    expect((await face.call('GET', '/dev/templates/welcome')).status).toBe(404)
  })

  test('creates, shows and removes keys; a new key works at once, and a removed one no longer works', async () => {
    const face = await open()
    const made = await face.call('POST', '/dev/keys', { body: { name: 'ci' } })
    expect(made.status).toBe(201)
    const { id, value } = (await made.json()) as { id: string; value: string }
    expect((await face.call('GET', '/v1/emails', { key: value })).status).toBe(200)
    const { keys } = await read<{ keys: { value: string }[] }>(face, '/dev/keys')
    expect(keys[0]?.value).toBe(face.post.apiKey)
    expect(keys[1]?.value).not.toBe(value)
    expect(await (await face.call('DELETE', `/dev/keys/${id}`)).json()).toEqual({ deleted: 1 })
    expect((await face.call('GET', '/v1/emails', { key: value })).status).toBe(401)
    expect((await face.call('DELETE', `/dev/keys/${id}`)).status).toBe(404)
    expect((await face.call('POST', '/dev/keys')).status).toBe(201)
  })

  test('resets everything except the keys and the kept parts', async () => {
    const face = await open()
    await face.call('POST', '/v1/emails', { body: goodMail })
    await face.post.inbox.waitFor({ to: 'ada@example.com' })
    await face.call('PUT', '/dev/templates/welcome', { body: { text: 'Hello' } })
    expect(await (await face.call('POST', '/dev/reset', { body: { keep: ['templates'] } })).json()).toEqual({
      status: 'reset',
    })
    expect(await read(face, '/dev/health')).toMatchObject({ counts: { emails: 0, templates: 1 } })
    expect(await read(face, '/dev/requests')).toMatchObject({ count: 0 })
    expect((await face.call('POST', '/dev/reset')).status).toBe(200)
    expect(await read(face, '/dev/health')).toMatchObject({ counts: { templates: 0 } })
    expect((await face.call('GET', '/v1/emails')).status).toBe(200)
    expect((await face.call('POST', '/dev/reset', { body: { keep: ['everything'] } })).status).toBe(422)
  })

  test('keeps a log of the requests to /v1, with warnings and without keys', async () => {
    const face = await open()
    const { post } = face
    await face.call('GET', `/v1/emails?key=${post.apiKey}`)
    await face.call('POST', '/v1/emails', {
      body: { ...goodMail, colour: 'red', text: `${post.apiKey} {{nobody}}` },
    })
    await face.call('POST', '/v1/domains', { body: { name: 'acme.com', region: 'eu' } })
    await face.call('GET', '/v1/nothing', { key: null })
    await face.call('GET', '/dev/health')
    const log = await read<{ requests: Record<string, unknown>[] }>(face, '/dev/requests')
    expect(log).toMatchObject({
      count: 4,
      cursor: null,
      requests: [
        { method: 'GET', path: '/v1/nothing', status: 401, api_key: null, request_body: null },
        { method: 'POST', path: '/v1/domains', status: 201, warnings: [expect.stringContaining('region')] },
        {
          method: 'POST',
          path: '/v1/emails',
          status: 200,
          warnings: expect.arrayContaining([
            expect.stringContaining('colour'),
            expect.stringContaining('nobody'),
          ]) as string[],
        },
        { method: 'GET', status: 200, warnings: [] },
      ],
    })
    expect(JSON.stringify(log)).not.toContain(post.apiKey)
    const page = await read<{ requests: unknown[]; cursor: string }>(face, '/dev/requests?limit=3')
    expect(page.requests).toHaveLength(3)
    expect(await read(face, `/dev/requests?cursor=${page.cursor}`)).toMatchObject({
      requests: [{ method: 'GET', status: 200 }],
      cursor: null,
    })
    expect((await face.call('GET', '/dev/requests?cursor=x')).status).toBe(422)
  })
})

test('the request log refuses a page that no list has', async () => {
  const { post } = await openInProcess()
  for (const query of [{ limit: -1 }, { limit: 0 }, { limit: 501 }, { limt: 3 }])
    await expect((async () => post.requests.list(query))()).rejects.toMatchObject({
      code: 'limt' in query ? 'invalid_option' : 'validation_error',
    })
})

test('the request log keeps the last 1,000, and at most 16 KiB of each body', async () => {
  const face = await openInProcess()
  await face.call('POST', '/v1/emails', { body: { ...goodMail, text: 'ä'.repeat(100_000) } })
  const [first] = (await read<{ requests: { request_body: string }[] }>(face, '/dev/requests')).requests
  // The beginning of the body has an odd number of bytes, and no character is cut in two.
  expect(Buffer.byteLength(first?.request_body ?? '')).toBe(16 * 1024 - 1)
  expect(first?.request_body).toMatch(/ä$/)
  // A key that goes over the end is not shown in part.
  for (let shown = 1; shown < face.post.apiKey.length; shown++) {
    const before = JSON.stringify({ ...goodMail, text: '' }).length - 2
    const text = 'x'.repeat(16 * 1024 - before - shown) + face.post.apiKey + 'x'.repeat(100)
    await face.call('POST', '/v1/emails', { body: { ...goodMail, text } })
    const [last] = (await read<{ requests: { request_body: string }[] }>(face, '/dev/requests')).requests
    expect(last?.request_body).toMatch(/x$/)
    expect(last?.request_body).toHaveLength(16 * 1024 - shown)
  }
  for (let i = 0; i < 2100; i++) {
    await face.post.fetch(
      new Request(`http://localpost/v1/emails/${i}`, {
        headers: { authorization: `Bearer ${face.post.apiKey}` },
      }),
    )
  }
  const log = await read<{ requests: { path: string }[]; count: number }>(face, '/dev/requests?limit=500')
  expect(log.requests[0]?.path).toBe('/v1/emails/2099')
  // In a database, some requests of a flood are not logged.
  if (adapterOfTests() === 'PostgreSQL') expect(log.count).toBeLessThanOrEqual(1000)
  else expect(log.count).toBe(1000)
})

test('the request log leaves out a key that goes over the end of either body', () => {
  const log = createRequestLog({ clock: systemClock, ids: createIds(systemClock) })
  const logged = (key: string, text: string): (string | null)[] => {
    const exchange = beginExchange('http', 'GET', '/v1/emails')
    log.add({ ...exchange, key, requestBody: Buffer.from(text), responseBody: text })
    const { items } = log.list({ limit: 1 }) as ListPage<LoggedRequest>
    return items.flatMap(({ request_body, response_body }) => [request_body, response_body])
  }
  const key = 'lp_0123456789'
  for (let shown = 1; shown < key.length; shown++) {
    const before = 'x'.repeat(16 * 1024 - shown)
    expect(logged(key, `${before}${key}xxx`)).toEqual([before, before])
  }
})

test('health is 503 with the same body while the instance closes', async () => {
  const { post } = await openOverSocket()
  const { port } = new URL(post.url ?? '')
  const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8')
  let answers = ''
  socket.on('data', (piece: string) => (answers += piece))
  const request = 'GET /dev/health HTTP/1.1\r\nHost: 127.0.0.1\r\n'
  // The first request shows that the server has the connection; the second one has begun before the close.
  socket.write(`${request}\r\n${request}`)
  await expect.poll(() => answers).toContain('"status":"ok"')
  const closing = post.close()
  socket.write('\r\n')
  await expect.poll(() => answers).toContain('"status":"closing"')
  expect(answers).toMatch(/HTTP\/1\.1 200 [^]*HTTP\/1\.1 503 /)
  await closing
})

test('a rate limit refuses requests above it with 429, per key, and answers have its headers', async () => {
  const { call, post } = await openInProcess({ rateLimit: { requests: 2, perMs: 60_000 } })
  const other = (await (await call('POST', '/dev/keys')).json()) as { value: string }
  const first = await call('GET', '/v1/emails')
  expect([
    first.status,
    first.headers.get('ratelimit-limit'),
    first.headers.get('ratelimit-remaining'),
  ]).toEqual([200, '2', '1'])
  await call('POST', '/v1/emails', { body: goodMail })
  const refused = await call('GET', '/v1/emails')
  expect([refused.status, await refused.json()]).toMatchObject([429, { name: 'rate_limit_exceeded' }])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(refused.headers.get('ratelimit-remaining')).toBe('0')
  expect(Number(refused.headers.get('ratelimit-reset'))).toBeLessThanOrEqual(60)
  expect((await call('GET', '/v1/emails', { key: other.value })).status).toBe(200)
  expect((await call('GET', '/dev/inbox')).status).toBe(200)
  expect(post.apiKey).not.toBe(other.value)
})
