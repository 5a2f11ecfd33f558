import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient, LocalpostError, type Client } from '../../src/client/index.ts'
import { type Localpost } from '../../src/index.ts'
import { goodMail } from '../support/mail.ts'
import { start } from '../support/instance.ts'

const ways: [string, (post: Localpost) => Promise<Client>][] = [
  [
    'in process',
    async (post) => createClient({ url: 'http://localpost', apiKey: post.apiKey, fetch: post.fetch }),
  ],
  ['over a socket', async (post) => createClient({ url: (await post.listen()).url, apiKey: post.apiKey })],
]

const hello = { ...goodMail, subject: 'Hi', text: 'Hello' }

describe.each(ways)('the client, %s,', (_, open) => {
  it('has the eight operations, with the answers of the library', async () => {
    const post = await start()
    const client = await open(post)
    const { id } = await client.emails.send(hello)
    await post.inbox.waitFor(`id:${id}`)
    expect(await client.emails.get(id)).toEqual(await post.emails.get(id))
    expect(await client.emails.list()).toEqual(await post.emails.list())
    const created = await client.domains.create({ name: 'acme.example' })
    expect(await client.domains.get(created.id)).toEqual(await post.domains.get(created.id))
    expect(await client.domains.list()).toEqual(await post.domains.list())
    const audience = await post.audiences.create({ name: 'Friends' })
    await post.audiences.contacts.import(audience.id, 'email\nada@example.com\nbob@example.com')
    expect(await client.audiences.list()).toEqual(await post.audiences.list())
    const contacts = await client.audiences.contacts.list(audience.id)
    expect(contacts.items.map(({ email }) => email)).toEqual(['ada@example.com', 'bob@example.com'])
  })

  it('walks the pages of a list', async () => {
    const post = await start({ pageSize: 2 })
    const client = await open(post)
    const sent = new Set<string>()
    for (let i = 0; i < 5; i++) sent.add((await client.emails.send(hello)).id)
    const seen: string[] = []
    for (let cursor: string | null = null; ;) {
      const page = await client.emails.list({ cursor })
      seen.push(...page.items.map(({ id }) => id))
      cursor = page.cursor
      if (cursor === null) break
    }
    expect(new Set(seen)).toEqual(sent)
    expect(seen).toHaveLength(5)
  })

  it('sends once for one idempotency key', async () => {
    const client = await open(await start())
    const first = await client.emails.send(hello, { idempotencyKey: 'once' })
    expect(await client.emails.send(hello, { idempotencyKey: 'once' })).toEqual(first)
    await expect(
      client.emails.send({ ...hello, subject: 'Ho' }, { idempotencyKey: 'once' }),
    ).rejects.toMatchObject({ code: 'idempotency_conflict', status: 409 })
  })

  it('throws the errors of the library', async () => {
    const client = await open(await start())
    const refused = client.emails.send({ from: 'x', to: '' })
    await expect(refused).rejects.toBeInstanceOf(LocalpostError)
    await expect(refused).rejects.toMatchObject({
      code: 'validation_error',
      status: 422,
      errors: expect.arrayContaining([expect.objectContaining({ field: 'from' })]),
    })
    await expect(client.emails.get('no/such')).rejects.toMatchObject({ code: 'not_found', status: 404 })
  })

  it('distinguishes a missing key and a limit from other errors', async () => {
    const post = await start({ rateLimit: { requests: 1, perMs: 60_000 } })
    const client = await open(post)
    await client.emails.list()
    await expect(client.emails.list()).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) },
    })
    const stranger = createClient({ url: 'http://localpost', apiKey: 'wrong', fetch: post.fetch })
    await expect(stranger.emails.list()).rejects.toMatchObject({ status: 401 })
  })
})

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The URL of a server that is closed. */
async function closedUrl(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return `http://127.0.0.1:${port}`
}

describe('a service that is not Localpost', () => {
  it.each([
    [500, 'text/html', '<h1>Bad gateway</h1>', /answered 500: <h1>Bad gateway/],
    [402, 'application/json', '{"name":"plan_exceeded","message":"Pay more"}', /answered 402: .*Pay more/],
    [503, 'text/plain', '', /answered 503: \(no body\)/],
    [200, 'text/html', '<h1>Welcome</h1>', /answered 200: <h1>Welcome/],
    [200, 'application/json', '{"data":[]}', /without a list of emails/],
  ])('answers %i %s %s', async (status, type, body, message) => {
    const url = await serve(
      (_, response) => void response.writeHead(status, { 'content-type': type }).end(body),
    )
    await expect(createClient({ url, apiKey: 'k' }).emails.list()).rejects.toMatchObject({
      code: 'unexpected_response',
      ...(status === 200 ? {} : { status }),
      message: expect.stringMatching(message),
    })
  })

  it('may live below a path', async () => {
    const url = await serve(
      ({ url }, response) => void response.end(JSON.stringify({ emails: [], count: 0, cursor: null, url })),
    )
    const client = createClient({ url: `${url}/mail/`, apiKey: 'k' })
    expect(await client.emails.list({ cursor: 'a b' })).toEqual({ items: [], count: 0, cursor: null })
    expect(await client.emails.get('../x')).toMatchObject({ url: '/mail/v1/emails/..%2Fx' })
  })

  it('may be unreachable or silent, and a request can be cancelled', async () => {
    const silent = await serve(() => {})
    const options = { apiKey: 'k', timeoutMs: 50 }
    await expect(createClient({ ...options, url: await closedUrl() }).emails.list()).rejects.toMatchObject({
      code: 'request_failed',
      message: expect.stringMatching(/ECONNREFUSED.*Check the url, and that the service runs there/),
    })
    await expect(createClient({ ...options, url: silent }).emails.list()).rejects.toMatchObject({
      code: 'request_timeout',
      message: expect.stringContaining('50 ms'),
    })
    const controller = new AbortController()
    const listing = createClient({ apiKey: 'k', url: silent }).emails.list({ signal: controller.signal })
    const reason = new Error('not wanted')
    controller.abort(reason)
    await expect(listing).rejects.toBe(reason)
  })

  it('needs a URL', () => {
    expect(() => createClient({ url: 'localhost:8025', apiKey: 'k' })).toThrow(
      /http:\/\/127\.0\.0\.1:8025.*"localhost:8025"/,
    )
  })
})

describe('what the client imports', () => {
  it('is limited to its own modules, the errors, and types', () => {
    const root = join(import.meta.dirname, '../../src')
    const reached = new Set<string>()
    const walk = (file: string): void => {
      if (reached.has(file)) return
      reached.add(file)
      const source = readFileSync(file, 'utf8')
      const found = source.matchAll(/^(?:import|export) (?!type )[^'"]*?from '([^']+)'|import\('([^']+)'\)/gm)
      for (const [, from, dynamic] of found) walk(join(dirname(file), from ?? dynamic ?? ''))
    }
    walk(join(root, 'client/index.ts'))
    expect([...reached].map((file) => relative(root, file)).sort()).toEqual([
      'client/answer-error.ts',
      'client/call.ts',
      'client/index.ts',
      'client/settings.ts',
      'core/error-table.ts',
      'core/errors.ts',
      'core/known-options.ts',
      'core/members.ts',
      'core/own-signal.ts',
      'core/quote.ts',
      'core/suggest.ts',
      'core/text.ts',
      'core/until-aborted.ts',
    ])
  })
})
