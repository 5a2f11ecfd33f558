import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { createTransport } from 'nodemailer'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Localpost, LocalpostOptions } from '../../src/index.ts'
import { fixedClock } from '../../src/index.ts'
import { startPostgres, type TestServer } from '../support/postgres.ts'
import { submit } from '../support/submit.ts'

let server: TestServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

let schemas = 0
/** Starts two instances over one store. */
async function startTwo(...options: LocalpostOptions[]): Promise<[Localpost, Localpost]> {
  const store = `${server.url}?schema=one${++schemas}`
  const { createLocalpost } = await import('../../src/index.ts')
  const posts: Localpost[] = []
  for (const own of [options[0], options[1] ?? options[0]]) {
    const post = await createLocalpost({ waitTimeoutMs: 10_000, store, ...own })
    onTestFinished(() => post.close())
    posts.push(post)
  }
  return posts as [Localpost, Localpost]
}

interface Answer {
  status: number
  // What a route answers is what these tests are about.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
  cookie: string
}

/** Asks one instance over HTTP, as a load balancer would. */
async function ask(
  post: Localpost,
  route: string,
  { body, key, cookie }: { body?: unknown; key?: string; cookie?: string } = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const [method = '', path = ''] = route.split(' ')
  const response = await post.fetch(
    new Request(`http://localpost${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(cookie === undefined ? {} : { cookie }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  )
  const text = await response.text()
  return {
    status: response.status,
    body: text === '' ? null : JSON.parse(text),
    cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '',
  }
}

interface LiveEvent {
  id: string
  data: { id: string }
}

/** Opens the live events of an instance. */
async function eventsOf(
  post: Localpost,
  after?: string,
): Promise<{ read(count: number): Promise<LiveEvent[]>; end(): Promise<void> }> {
  const headers: Record<string, string> = after === undefined ? {} : { 'last-event-id': after }
  const { body } = await post.fetch(new Request('http://localpost/dev/events', { headers }))
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return {
    async read(count) {
      for (;;) {
        const events = [...text.matchAll(/event: email\.created\nid: (\d+)\ndata: (.*)\n/g)]
        if (events.length >= count)
          return events.map(([, id = '', data = '']) => ({ id, data: JSON.parse(data) as { id: string } }))
        const { value, done } = (await reader?.read()) ?? { done: true }
        if (done) throw new Error(`The stream ended after ${text}`)
        text += value
      }
    },
    async end() {
      await reader?.cancel()
    },
  }
}

const mail = { from: 'bob@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'Hello' }
const send = (post: Localpost, key: string, more: Record<string, string> = {}): Promise<Answer> =>
  ask(post, 'POST /v1/emails', { body: mail, key }, more)

/** Actions at one instance, which the next request to another one has to see at once. */
const rows: Record<string, (a: Localpost, b: Localpost) => Promise<void>> = {
  async 'an API key is made and removed'(a, b) {
    for (let n = 0; n < 5; n++) {
      const made = await ask(a, 'POST /dev/keys', { body: { scope: 'send' } })
      const key = made.body.value as string
      expect((await send(b, key)).status).toBe(200)
      expect((await ask(b, 'GET /dev/keys')).body.keys).toContainEqual(
        expect.objectContaining({ id: made.body.id }),
      )
      await ask(a, `DELETE /dev/keys/${made.body.id}`)
      expect((await send(b, key)).status).toBe(401)
    }
  },
  async 'an account is made, changed, disabled and removed'(a, b) {
    const made = await ask(a, 'POST /dev/accounts', { body: { name: 'team-a' } })
    const { api_key: key, smtp } = made.body
    expect((await send(b, key)).status).toBe(200)
    expect((await ask(b, 'POST /dev/accounts', { body: { name: 'team-a' } })).body).toMatchObject({
      name: 'name_taken',
    })
    const auth = { user: smtp.username, pass: smtp.password }
    const transport = createTransport({ host: b.smtp.host, port: b.smtp.port, auth })
    onTestFinished(() => transport.close())
    await transport.sendMail(mail)
    expect((await ask(a, 'GET /dev/inbox?account=team-a')).body.count).toBe(2)
    expect((await ask(a, 'GET /dev/inbox')).body.count).toBe(0)
    await ask(a, 'PATCH /dev/accounts/team-a', { body: { is_disabled: true } })
    expect((await send(b, key)).status).not.toBe(200)
    await ask(b, 'PATCH /dev/accounts/team-a', { body: { is_disabled: false } })
    expect((await send(a, key)).status).toBe(200)
    const other = await ask(b, 'POST /dev/keys', { body: {}, key })
    expect((await send(a, other.body.value)).status).toBe(200)
    const waiting = ask(b, 'GET /dev/inbox/wait?query=subject:never&timeout_ms=60000', { key })
    // It is under way once the account is in use there.
    await ask(b, 'GET /dev/inbox', { key })
    await ask(a, 'DELETE /dev/accounts/team-a')
    expect((await waiting).status).not.toBe(200)
    for (const lost of [key, other.body.value]) expect((await send(b, lost)).status).toBe(401)
    expect((await ask(b, 'GET /dev/accounts')).body.accounts).toHaveLength(1)
    expect(await ask(b, 'POST /dev/accounts', { body: { name: 'team-a' } })).toMatchObject({ status: 201 })
  },
  async 'rules are set'(a, b) {
    const { apiKey } = a
    for (const action of ['reject', 'accept', 'reject'] as const) {
      await ask(a, 'PUT /dev/rules', { body: [{ match: 'ada@example.com', action }] })
      expect((await ask(b, 'GET /dev/rules')).body).toMatchObject([{ action }])
      const { body } = await send(b, apiKey)
      await a.inbox.waitFor(`id:${body.id}`)
      const { recipients } = await a.inbox.get(body.id)
      expect(recipients[0]?.events.at(-1)?.status).toBe(action === 'reject' ? 'bounced' : 'delivered')
    }
  },
  async 'faults are set, count together, and are removed'(a, b) {
    const { apiKey } = a
    const faults = { http: [{ path: '/v1/emails', status: 500, count: 3 }] }
    await ask(a, 'PUT /dev/faults', { body: faults })
    const answers = await Promise.all([b, a, b, a, b, a, b, b].map((post) => send(post, apiKey)))
    expect(answers.filter(({ status }) => status === 500)).toHaveLength(3)
    expect((await ask(b, 'GET /dev/faults')).body.http).toMatchObject([{ count: 0 }])
    await ask(b, 'PUT /dev/faults', { body: { smtp: [{ stage: 'mail', code: 451, count: 1 }] } })
    await expect(submit(a, mail)).rejects.toThrow('451')
    await submit(b, mail)
    await ask(b, 'PUT /dev/faults', { body: { http: [{ path: '*', status: 503 }] } })
    expect((await send(a, apiKey)).status).toBe(503)
    await ask(b, 'DELETE /dev/faults')
    expect((await send(a, apiKey)).status).toBe(200)
  },
  async 'requests are limited'(a, b) {
    for (let n = 0; n < 2; n++) {
      await ask(a, 'PUT /dev/faults', { body: { rate_limit: { requests: 5, per_ms: 60_000 } } })
      const posts = [b, a, b, a, b, a, b, b]
      const answers = n === 0 ? await Promise.all(posts.map((post) => send(post, a.apiKey))) : []
      if (n === 1) for (const post of posts) answers.push(await send(post, a.apiKey))
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(3)
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(5)
    }
    await ask(b, 'DELETE /dev/faults')
    expect((await send(a, a.apiKey)).status).toBe(200)
  },
  async 'a request is repeated with its Idempotency-Key'(a, b) {
    const { apiKey } = a
    for (let n = 0; n < 5; n++) {
      const repeated = { 'idempotency-key': `key-${n}` }
      const answers = await Promise.all([a, b, a, b].map((post) => send(post, apiKey, repeated)))
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
      expect((await send(b, apiKey, repeated)).body.id).toBe(answers[0]?.body.id)
    }
    expect((await ask(b, 'GET /dev/inbox')).body.count).toBe(5)
  },
  async 'a domain is declared not verified'(a, b) {
    const { apiKey } = a
    expect((await send(b, apiKey)).status).toBe(200)
    const [{ id }] = (await ask(a, 'GET /dev/domains')).body.domains
    await ask(a, `POST /dev/domains/${id}/verify`, { body: { status: 'FAILED' } })
    expect((await send(b, apiKey)).body.name).toBe('domain_not_verified')
    await ask(b, `POST /dev/domains/${id}/verify`, { body: { status: 'SUCCESS' } })
    expect((await send(a, apiKey)).status).toBe(200)
  },
  async 'a webhook is made and removed'(a, b) {
    for (let n = 0; n < 3; n++) {
      const made = await ask(a, 'POST /dev/webhooks', { body: { url: `http://127.0.0.1:9/${n}` } })
      await submit(b, mail)
      const { deliveries } = (await ask(a, 'GET /dev/webhooks/deliveries')).body
      expect(deliveries).toContainEqual(expect.objectContaining({ webhook_id: made.body.id }))
      expect((await ask(b, `DELETE /dev/webhooks/${made.body.id}`)).status).toBe(200)
      expect((await ask(a, 'GET /dev/webhooks')).body.webhooks).toEqual([])
    }
  },
  async 'a template is stored'(a, b) {
    const template = { subject: 'Hello', text: 'Hi' }
    await ask(a, 'PUT /dev/templates/welcome', { body: template })
    await ask(b, 'PUT /dev/templates/welcome', { body: { text: 'Bye' } })
    const { versions } = (await ask(a, 'GET /dev/templates/welcome/versions')).body
    expect(versions).toMatchObject([template])
    await ask(a, `POST /dev/templates/welcome/versions/${versions[0].id}/restore`)
    expect((await ask(b, 'GET /dev/templates/welcome/versions')).body.versions).toMatchObject([
      { text: 'Bye' },
      template,
    ])
    const request = { from: mail.from, to: mail.to, template_id: 'welcome' }
    const { body } = await ask(b, 'POST /v1/emails', { body: request, key: a.apiKey })
    expect((await a.inbox.waitFor(`id:${body.id}`)).subject).toBe('Hello')
  },
  async 'mail is taken, and removed'(a, b) {
    const waiting = b.inbox.waitFor({ subject: 'Now' })
    const id = await submit(a, { ...mail, subject: 'Now' })
    expect((await waiting).id).toBe(id)
    expect((await ask(b, `GET /dev/inbox/${id}`)).body.subject).toBe('Now')
    await ask(a, `DELETE /dev/inbox/${id}`)
    expect((await ask(b, `GET /dev/inbox/${id}`)).status).toBe(404)
  },
  async 'requests are logged'(a, b) {
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const { body } = await send(one, a.apiKey)
      await expect
        .poll(async () => (await ask(other, 'GET /dev/requests?limit=1')).body.requests)
        .toMatchObject([{ path: '/v1/emails', response_body: JSON.stringify(body) }])
    }
    await ask(b, 'POST /dev/reset')
    expect((await ask(a, 'GET /dev/requests')).body.count).toBe(0)
  },
  async 'SMTP sessions are logged'(a, b) {
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const id = await submit(one, mail)
      await expect
        .poll(async () => (await ask(other, 'GET /dev/smtp-sessions?limit=1')).body.sessions)
        .toMatchObject([{ message_count: 1, problems: [], ended: expect.any(Number) }])
      const [{ id: session }] = (await ask(other, 'GET /dev/smtp-sessions?limit=1')).body.sessions
      const { transcript } = await one.inbox.get(id)
      expect(transcript?.length).toBeGreaterThan(8)
      await expect.poll(async () => (await other.inbox.get(id)).transcript).toEqual(transcript)
      for (const post of [a, b])
        expect((await ask(post, `GET /dev/smtp-sessions/${session}`)).body.email_ids).toEqual([id])
    }
    expect((await ask(a, 'GET /dev/smtp-sessions?failed=true')).body).toMatchObject({
      sessions: [],
      count: 0,
    })
    const { cursor } = (await ask(a, 'GET /dev/smtp-sessions?limit=1')).body
    expect((await ask(b, `GET /dev/smtp-sessions?limit=1&cursor=${cursor}`)).body).toMatchObject({
      count: 2,
      cursor: null,
    })
  },
  async 'everything is reset'(a, b) {
    await ask(a, 'PUT /dev/rules', { body: [{ match: '*', action: 'drop' }] })
    await ask(a, 'PUT /dev/faults', { body: { http: [{ path: '*', status: 500 }] } })
    await submit(a, mail)
    await ask(b, 'POST /dev/reset')
    expect((await ask(a, 'GET /dev/rules')).body).toEqual([])
    expect((await ask(a, 'GET /dev/faults')).body).toBeNull()
    expect((await ask(a, 'GET /dev/inbox')).body.count).toBe(0)
    expect((await send(a, a.apiKey)).status).toBe(200)
  },
}

describe('two instances over one store are one server, when', () => {
  for (const [what, row] of Object.entries(rows)) {
    test(what, async () => {
      await row(...(await startTwo({})))
    })
  }

  test('a submission that was greylisted at one is tried again at the other', async () => {
    const rules = [{ match: 'ada@example.com', action: 'greylist' as const, times: 2 }]
    const [a, b] = await startTwo({ rules, rejectSubmissions: true })
    for (let n = 0; n < 2; n++) {
      await expect(submit(a, mail)).rejects.toThrow('451')
      await expect(submit(b, mail)).rejects.toThrow('451')
      await submit(a, mail)
    }
    await expect(submit(a, mail)).rejects.toThrow('451')
    await ask(b, 'PUT /dev/rules', { body: rules })
    await expect(submit(a, mail)).rejects.toThrow('451')
  })

  test('somebody signs in at one and out at the other', async () => {
    const [a, b] = await startTwo({ requireKey: true })
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      const { cookie } = await ask(one, 'POST /dev/session', { body: { key: a.apiKey } })
      expect((await ask(other, 'GET /dev/session', { cookie })).body).toMatchObject({ caller: 'key' })
      await ask(other, 'DELETE /dev/session', { cookie })
      expect((await ask(one, 'GET /dev/session', { cookie })).body).toMatchObject({ caller: 'none' })
    }
  })

  test('each connection comes to another one', async () => {
    const posts = await startTwo({})
    for (const post of posts) await post.listen()
    let connections = 0
    const balance = async (portOf: (post: Localpost) => number): Promise<number> => {
      const balancer = createServer((client) => {
        const post = posts[connections++ % posts.length] ?? posts[0]
        const upstream = connect(portOf(post), '127.0.0.1')
        for (const [one, other] of [
          [client, upstream],
          [upstream, client],
        ] as const)
          one.pipe(other).on('error', () => one.destroy())
      }).listen(0, '127.0.0.1')
      onTestFinished(() => void balancer.close())
      await once(balancer, 'listening')
      return (balancer.address() as AddressInfo).port
    }
    const url = `http://127.0.0.1:${await balance(({ url }) => Number(new URL(url ?? '').port))}`
    const smtpPort = await balance(({ smtp }) => smtp.port)
    // oxlint-disable-next-line typescript/no-explicit-any
    const over = async (method: string, path: string, body?: unknown, key?: string): Promise<any> => {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          connection: 'close',
          'content-type': 'application/json',
          ...(key && { authorization: `Bearer ${key}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      expect(response.status).toBeLessThan(300)
      return await response.json()
    }
    for (const name of ['one', 'two']) {
      const { api_key, smtp } = await over('POST', '/dev/accounts', { name })
      const waiting = over('GET', '/dev/inbox/wait?count=12&timeout_ms=20000', undefined, api_key)
      waiting.catch(() => {})
      for (let n = 0; n < 6; n++) {
        await over('POST', '/v1/emails', { ...mail, subject: `${name} ${n}` }, api_key)
        const auth = { user: smtp.username, pass: smtp.password }
        const transport = createTransport({ host: '127.0.0.1', port: smtpPort, auth })
        await transport.sendMail({ ...mail, subject: `${name} by SMTP ${n}` })
        transport.close()
        expect((await over('GET', '/dev/inbox', undefined, api_key)).count).toBe(2 * n + 2)
      }
      const { emails } = await waiting
      expect(emails).toHaveLength(12)
      await over('DELETE', `/dev/accounts/${name}`)
    }
    expect((await over('GET', '/dev/accounts')).accounts).toHaveLength(1)
  })

  test('a page continues at the other instance after the last event that it saw', async () => {
    const [a, b] = await startTwo({})
    const first = await eventsOf(a)
    const ids = [await submit(b, mail), await submit(a, mail)]
    const seen = await first.read(2)
    expect(seen.map(({ data }) => data.id)).toEqual(ids)
    await first.end()
    const missed = [await submit(a, mail), await submit(b, mail)]
    const second = await eventsOf(b, seen.at(-1)?.id)
    expect((await second.read(2)).map(({ data }) => data.id)).toEqual(missed)
    await second.end()
  })

  test('the database stops: nothing is answered from memory, and everything works again when it is back', async () => {
    const [a, b] = await startTwo({})
    const [unused] = await startTwo({})
    for (const post of [a, b]) expect((await ask(post, 'GET /dev/keys')).status).toBe(200)
    await server.stop()
    try {
      await expect(ask(unused, 'GET /dev/keys')).rejects.toMatchObject({ code: 'service_unavailable' })
      for (const post of [a, b]) {
        expect((await ask(post, 'GET /dev/keys')).status).toBe(503)
        expect((await send(post, a.apiKey)).status).toBe(503)
        expect(await ask(post, 'GET /dev/health')).toMatchObject({
          status: 503,
          body: {
            status: 'refusing',
            counts: null,
            database: { instances: null },
            warnings: [expect.stringMatching(/^New mail is refused. The database does not answer/)],
          },
        })
        const metrics = await post.fetch(new Request('http://localpost/dev/metrics'))
        expect(await metrics.text()).toMatch(/^localpost_accepting 0$[^]*^localpost_database_up 0$/m)
        await expect(submit(post, mail)).rejects.toThrow(/45\d|421/)
      }
    } finally {
      await server.start()
    }
    for (const post of [a, b, unused]) {
      await expect.poll(async () => (await ask(post, 'GET /dev/keys')).status, { timeout: 15_000 }).toBe(200)
      await expect.poll(() => submit(post, mail).catch(() => null), { timeout: 15_000 }).not.toBeNull()
    }
  })

  test('their clocks differ by five seconds: later mail has greater ids', async () => {
    const [a, b] = await startTwo(
      { clock: fixedClock('2026-01-01T00:00:05Z') },
      { clock: fixedClock('2026-01-01T00:00:00Z') },
    )
    const ids: string[] = []
    for (let n = 0; n < 20; n++) {
      const post = n % 2 === 0 ? a : b
      ids.push(n % 4 < 2 ? await submit(post, mail) : (await send(post, a.apiKey)).body.id)
    }
    expect(ids).toEqual(ids.toSorted())
    expect((await ask(b, 'GET /dev/inbox')).body.emails.map(({ id }: { id: string }) => id)).toEqual(
      ids.toReversed(),
    )
  })
})
