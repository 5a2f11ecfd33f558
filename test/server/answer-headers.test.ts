import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { describeBoth, openInProcess, openOverSocket, type Face } from './_face.ts'
import { openFilled, operations, sample } from './_samples.ts'

interface Document {
  paths: Record<string, Record<string, unknown>>
}

/** The required headers of every answer. The page's own files may be cached; the tracking image is for any program. */
function assertPrivate(what: string, headers: Headers): void {
  const path = what.split(' ')[1] ?? ''
  expect([what, headers.get('x-content-type-options')]).toEqual([what, 'nosniff'])
  const policy =
    path.startsWith('/t/') && headers.get('content-type')?.startsWith('application/json') !== true
  expect([what, headers.get('cross-origin-resource-policy')]).toEqual([
    what,
    policy ? 'cross-origin' : 'same-origin',
  ])
  expect([what, headers.get('cache-control')]).toEqual([what, 'no-store'])
}

/** Every operation of the table that the router is made from. */
async function operationsOf({ call }: Face): Promise<(readonly [method: string, path: string])[]> {
  const answer = await call('GET', '/dev/openapi.json')
  expect(answer.status).toBe(200)
  const { paths } = (await answer.json()) as Document
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => /^(?:get|post|put|patch|delete)$/.test(method))
      .map((method) => [method.toUpperCase(), path] as const),
  )
}

/** Ids of one of each thing, in an instance that has them. */
async function fill({ call, post }: Face): Promise<string[]> {
  const ids: string[] = []
  const make = async (path: string, body: object): Promise<void> => {
    const answer = await call('POST', path, { body })
    expect([path, answer.status]).toEqual([path, expect.toBeOneOf([200, 201, 202])])
    const { id } = (await answer.json()) as { id: string }
    ids.push(id)
  }
  const attachments = [{ filename: 'a.txt', path: 'data:text/plain;base64,QQ==' }]
  const mail = { from: 'a@acme.test', to: 'b@example.com', subject: 'Hi', html: '<p>Hi</p>', attachments }
  await make('/v1/emails', mail)
  await make('/v1/domains', { name: 'other.example' })
  await make('/dev/audiences', { name: 'Readers' })
  await post.inbox.waitFor({ to: 'b@example.com' })
  return ids
}

describeBoth('every answer', (open) => {
  test('a refusal of every route has nosniff, no-store and a resource policy', async () => {
    const face = await open()
    const operations = await operationsOf(face)
    expect(operations.length).toBeGreaterThan(60)
    const wrong = [
      ['POST', '/dev/health'],
      ['GET', '/v2/emails'],
      ['GET', '/v1/nothing'],
      ['GET', '/dev/nothing'],
      ['PUT', '/'],
      ['GET', '/t/nothing'],
      ['GET', '/%ff'],
    ] as const
    let refused = 0
    for (const [method, path] of [...operations, ...wrong]) {
      const at = path.replace(/\{\w+\}/g, 'nothing')
      const strange = { 'sec-fetch-site': 'cross-site', 'x-forwarded-for': '192.0.2.1' }
      const answer = await face.call(method, at, { key: null, headers: strange })
      assertPrivate(`${method} ${at}`, answer.headers)
      if (answer.status >= 400) refused++
      await answer.body?.cancel()
    }
    expect(refused).toBeGreaterThan(60)
  })

  test('a success of every reading route has them', async () => {
    const face = await open()
    const ids = await fill(face)
    const reached = new Set<string>()
    for (const [method, path] of await operationsOf(face)) {
      if (method !== 'GET') continue
      for (const id of path.includes('{id}') ? ids : ['']) {
        const at = path
          .replace('{id}', id)
          .replace('{index}', '0')
          .replace(/\{\w+\}/g, 'nothing')
        const answer = await face.call('GET', at)
        assertPrivate(`GET ${at}`, answer.headers)
        if (answer.status === 200) reached.add(path)
        await answer.body?.cancel()
      }
    }
    expect([...reached]).toEqual(
      expect.arrayContaining([
        '/v1/emails/{id}',
        '/dev/inbox/{id}/raw',
        '/dev/inbox/{id}/html',
        '/dev/inbox/{id}/attachments/{index}',
        '/dev/inbox/export',
        '/dev/domains/{id}/zone',
        '/dev/events',
      ]),
    )
  })
})

/** The requests for routes whose schema alone does not lead to a successful request. */
async function ownRequests(
  { post }: Face,
  audienceId: string,
): Promise<Record<string, { at?: string; body?: unknown; raw?: string; headers?: Record<string, string> }>> {
  const from = 'Acme <hi@sender.test>'
  const webhook = await post.webhooks.create({ url: 'http://127.0.0.1:9/', events: ['email.sent'] })
  const { email_ids } = await post.broadcasts.send({
    audience_id: audienceId,
    from,
    subject: 'Hi',
    text: 'Hi',
  })
  const { list_unsubscribe } = await post.inbox.waitFor(`id:${email_ids[0]}`)
  const [delivery] = (await post.webhooks.deliveries()).items
  await post.inbox.updateMatching(null, { unread: true })
  const runs = (await (await post.fetch(new Request('http://localpost/dev/inbox/bulk'))).json()) as {
    changes: { id: string }[]
  }
  const removed = await post.inbox.import(Buffer.from('Subject: gone\r\n\r\nText\r\n'))
  const removing = new Request('http://localpost/dev/inbox/removals', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ids: [removed.id] }),
  })
  const removal = (await (await post.fetch(removing)).json()) as { id: string }
  const { name: account } = await post.accounts.create()
  const later = { from, to: 'b@example.com', subject: 'Hi', text: 'Hi', send_at: '2030-01-01T00:00:00Z' }
  const [scheduled, sentNow] = await post.sending.send([later, later])
  await post.suppressions.add({ address: 'gone@example.com' })
  const key = (await (await post.fetch(new Request('http://localpost/dev/keys'))).json()) as {
    keys: { id: string }[]
  }
  return {
    'POST /v1/emails': { body: { from, to: 'b@example.com', subject: 'Hi', text: 'Hi' } },
    'POST /dev/emails': { body: [{ from, to: 'b@example.com', subject: 'Hi', text: 'Hi' }] },
    'PATCH /dev/scheduled/{id}': { at: `/dev/scheduled/${scheduled?.id}`, body: { send_at: later.send_at } },
    'POST /dev/scheduled/{id}/send': { at: `/dev/scheduled/${sentNow?.id}/send` },
    'DELETE /dev/scheduled/{id}': { at: `/dev/scheduled/${scheduled?.id}` },
    'POST /dev/suppressions': { body: { address: 'also-gone@example.com' } },
    'DELETE /dev/suppressions/{address}': { at: '/dev/suppressions/gone@example.com' },
    'POST /v1/domains': { body: { name: 'another.example' } },
    'PATCH /dev/inbox': { at: '/dev/inbox?all=true', body: { unread: false } },
    'POST /dev/inbox/import': {
      raw: 'From: a@b.test\r\n\r\nHi',
      headers: { 'content-type': 'message/rfc822' },
    },
    'POST /dev/inbox/{id}/reply': { body: { text: 'Hi' } },
    'POST /dev/inbox/{id}/release': { body: { to: 'c@example.com' } },
    'POST /dev/emails/{id}/events': { body: { status: 'opened', recipient: 'ada@example.com' } },
    'POST /dev/broadcasts': { body: { audience_id: audienceId, from, subject: 'Hi', text: 'Hi' } },
    'PUT /dev/templates/{id}': { body: { subject: 'Hi', text: 'Hi' } },
    'POST /dev/webhooks/deliveries/{id}/replay': {
      at: `/dev/webhooks/deliveries/${delivery?.id ?? ''}/replay`,
    },
    'POST /mcp': {
      body: { jsonrpc: '2.0', id: 1, method: 'ping' },
      headers: { accept: 'application/json, text/event-stream' },
    },
    'POST /dev/session': { body: { key: post.apiKey } },
    'POST /t/u/{token}': { at: new URL(list_unsubscribe?.urls[0] ?? '').pathname },
    'DELETE /dev/inbox': { at: '/dev/inbox?all=true' },
    'POST /dev/inbox/removals': { body: { ids: ['em_unknown'] } },
    'DELETE /dev/inbox/removals/{id}': { at: `/dev/inbox/removals/${removal.id}` },
    'DELETE /dev/inbox/bulk/{id}': { at: `/dev/inbox/bulk/${runs.changes[0]?.id ?? ''}` },
    'DELETE /dev/webhooks/{id}': { at: `/dev/webhooks/${webhook.id}` },
    'PATCH /dev/accounts/{name}': { at: `/dev/accounts/${account}`, body: { max_emails: 5 } },
    'POST /dev/accounts/{name}/smtp-password': { at: `/dev/accounts/${account}/smtp-password` },
    'DELETE /dev/accounts/{name}': { at: `/dev/accounts/${account}` },
    'DELETE /dev/keys/{id}': { at: `/dev/keys/${key.keys[0]?.id ?? ''}` },
  }
}

describeBoth('every answer of a route that writes', (open) => {
  test('has these headers where it succeeds', { timeout: 60_000 }, async () => {
    const relay = await openInProcess()
    const { host, port } = relay.post.smtp
    const { face, fill } = await openFilled((options) =>
      open({ ...options, relay: `smtp://${host}:${port}` }),
    )
    const own = await ownRequests(face, fill('{audienceId}'))
    const failed: string[] = []
    const writes = operations.filter(({ method }) => method !== 'GET')
    expect(writes.length).toBeGreaterThan(25)
    // Removals come last, inner resources before outer ones, so that the other routes find their resources.
    const rank = ({ method, path }: (typeof writes)[number]): number =>
      path === '/dev/reset' ? 2 : method === 'DELETE' ? 1 + 1 / path.length : 0
    for (const { method, path, operation } of writes.sort((one, other) => rank(one) - rank(other))) {
      const schema = operation.requestBody?.content['application/json']?.schema
      const { at, ...sent } = own[`${method} ${path}`] ?? (schema ? { body: sample(schema) } : {})
      const answer = await face.call(method, at ?? fill(path), sent)
      assertPrivate(`${method} ${path}`, answer.headers)
      if (!answer.ok) failed.push(`${method} ${path}: ${answer.status} ${await answer.text()}`)
      else await answer.body?.cancel()
    }
    expect(failed).toEqual([])
  })
})

describe('an invalid request', () => {
  test.each([
    ['garbage', 'nonsense\r\n\r\n'],
    ['a request without Host', 'GET /v1/emails HTTP/1.1\r\n\r\n'],
    ['a foreign Host', 'GET /v1/emails HTTP/1.1\r\nHost: evil.test\r\n\r\n'],
    ['CONNECT', 'CONNECT x.test:443 HTTP/1.1\r\nHost: x.test\r\n\r\n'],
    ['an unknown Expect', 'GET / HTTP/1.1\r\nHost: localhost\r\nExpect: magic\r\n\r\n'],
    ['a header that is too large', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`],
    ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001'],
  ])('%s: is answered with these headers', async (_, bytes) => {
    const { base } = await openOverSocket()
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(base).port), '127.0.0.1', () => socket.write(bytes, 'latin1'))
      let said = ''
      socket.setEncoding('latin1').on('data', (piece: string) => {
        said += piece
        if (said.includes('\r\n\r\n')) socket.destroy()
      })
      socket.on('error', reject).on('close', () => resolve(said))
    })
    const [, ...lines] = (text.split('\r\n\r\n')[0] ?? '').split('\r\n')
    expect(text).toMatch(/^HTTP\/1\.1 4\d\d /)
    assertPrivate('GET /', new Headers(lines.map((line) => line.split(': ', 2) as [string, string])))
  })
})
