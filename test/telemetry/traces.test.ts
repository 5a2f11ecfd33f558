import { text as bytesOf } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { lastingPlace } from '../support/adapters.ts'
import { start } from '../support/instance.ts'
import { goodMail } from '../support/mail.ts'
import { submit } from '../support/submit.ts'
import { eventually, openReceiver } from '../webhooks/_receiver.ts'
import { otherId, otherTraceparent, traceId, traceparent, tracestate } from './_trace.ts'

type Post = Awaited<ReturnType<typeof start>>

function request(
  post: Post,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Response> {
  return post.fetch(
    new Request(`http://localpost${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${post.apiKey}`, ...headers },
      body: JSON.stringify(body),
    }),
  )
}

const raw = (header: string): string =>
  Buffer.from(`From: hi@acme.test\r\nTo: ada@example.com\r\nSubject: Raw\r\n${header}\r\nHello\r\n`).toString(
    'base64',
  )

const headersOf = (traceparent: string, tracestate?: string): Record<string, string> => ({
  traceparent,
  ...(tracestate !== undefined && { tracestate }),
})
const stateField = (tracestate?: string): string =>
  tracestate === undefined ? '' : `TraceState: ${tracestate}\r\n`

/** Every way by which a mail may come with a trace. */
const ways: Readonly<Record<string, (post: Post, given: string, state?: string) => Promise<unknown>>> = {
  'the header of a mail over SMTP': (post, given, state) =>
    submit(post, { text: 'Hi', headers: headersOf(given, state) }),
  'a request to /v1': (post, given, state) => request(post, '/v1/emails', goodMail, headersOf(given, state)),
  'a request to /dev/emails': (post, given, state) =>
    request(post, '/dev/emails', goodMail, headersOf(given, state)),
  'a request to Resend’s API': (post, given, state) =>
    request(post, '/resend/emails', goodMail, { ...headersOf(given, state), 'user-agent': 'test' }),
  'a request to SendGrid’s API': (post, given, state) =>
    request(
      post,
      '/sendgrid/v3/mail/send',
      {
        personalizations: [{ to: [{ email: 'ada@example.com' }] }],
        from: { email: 'hi@acme.test' },
        subject: 'Hi',
        content: [{ type: 'text/plain', value: 'Hi' }],
      },
      headersOf(given, state),
    ),
  'a header of a whole request': (post, given, state) =>
    post.sending.send({
      ...goodMail,
      headers: { Traceparent: given, ...(state !== undefined && { TraceState: state }) },
    }),
  'the header of a raw message': (post, given, state) =>
    post.sending.send({ raw: raw(`traceparent: ${given}\r\n${stateField(state)}`) }),
  'the header of an imported message': (post, given, state) =>
    post.inbox.import(Buffer.from(raw(`TraceParent: ${given}\r\n${stateField(state)}`), 'base64')),
}

test.each(Object.entries(ways))('%s is kept with the mail, and found', async (_, send) => {
  const post = await start()
  const answer = await send(post, traceparent)
  if (answer instanceof Response) expect(answer.ok, await answer.clone().text()).toBe(true)
  const mail = await post.inbox.waitFor(`trace:${traceId}`)
  expect(mail.trace_id).toBe(traceId)
  const { items } = await post.inbox.list({ query: `trace:${traceId.toUpperCase()}` })
  expect(items.map(({ id, trace_id }) => [id, trace_id])).toEqual([[mail.id, traceId]])
  expect((await post.inbox.list({ query: `-trace:${traceId}` })).items).toEqual([])
  expect((await post.inbox.list({ query: `trace:${otherId}` })).items).toEqual([])
})

test.each(Object.entries(ways))('%s is ignored where it is malformed', async (_, send) => {
  const post = await start()
  await send(post, `00-${traceId}-0000000000000000-01`)
  const mail = await post.inbox.waitFor()
  expect(mail.trace_id).toBeUndefined()
})

test.each(Object.entries(ways).filter(([name]) => !name.includes('imported')))(
  '%s is passed on to webhooks with its tracestate, unless that is malformed',
  async (_, send) => {
    const receiver = await openReceiver()
    const post = await start({ webhooks: [{ url: receiver.url, events: ['email.delivered'] }] })
    await send(post, traceparent, tracestate)
    await eventually(() => expect(receiver.received).toHaveLength(1))
    await send(post, otherTraceparent, `${tracestate},wrong`)
    await eventually(() => expect(receiver.received).toHaveLength(2))
    expect(receiver.received.map(({ headers }) => [headers['traceparent'], headers['tracestate']])).toEqual([
      [traceparent, tracestate],
      [otherTraceparent, undefined],
    ])
  },
)

test('the header of a mail comes before that of its request', async () => {
  const post = await start()
  const requests = [{ ...goodMail, headers: { traceparent: otherTraceparent } }, goodMail]
  await request(post, '/dev/emails', requests, { traceparent, tracestate })
  const { items } = await post.inbox.list()
  expect(items.map(({ trace_id }) => trace_id).sort()).toEqual([otherId, traceId])
})

test('a broadcast is in the trace of its request', async () => {
  const post = await start()
  const audience = await post.audiences.create({ name: 'All' })
  await post.audiences.contacts.add(audience.id, { email: 'ada@example.com' })
  const { from, subject, text } = goodMail
  const sent = await request(
    post,
    '/dev/broadcasts',
    { audience_id: audience.id, from, subject, text },
    { traceparent },
  )
  expect(sent.status, await sent.clone().text()).toBe(200)
  expect((await post.inbox.waitFor(`trace:${traceId}`)).type).toBe('broadcast')
})

test('the bytes of a mail stay as they are', async () => {
  const post = await start()
  const message = `From: a@acme.test\r\nTRACEPARENT:\r\n\t${traceparent}  \r\nSubject: Hi\r\n\r\nHi\r\n`
  const envelope = { from: 'a@acme.test', to: 'ada@example.com' }
  const id = await submit(post, { envelope, raw: message })
  expect(await bytesOf((await post.inbox.raw(id)).stream)).toBe(message)
  expect((await post.inbox.get(id)).trace_id).toBe(traceId)
  await request(post, '/v1/emails', goodMail, { traceparent })
  await post.inbox.waitFor('source:api status:delivered')
  const sent = await post.inbox.waitFor('source:api')
  expect(await bytesOf((await post.inbox.raw(sent.id)).stream)).not.toMatch(/traceparent/i)
})

test('a restart keeps the trace of mail, of what is scheduled, and of webhooks', async () => {
  const place = lastingPlace()
  let isDown = true
  const receiver = await openReceiver((response) => response.writeHead(isDown ? 503 : 200).end())
  const options = { ...place, webhooks: [{ url: receiver.url, events: ['email.delivered' as const] }] }
  const first = await start({ ...options, webhookRetryDelaysMs: [3_600_000] })
  await submit(first, { text: 'Hi', headers: { traceparent, tracestate } })
  await first.sending.send({
    ...goodMail,
    headers: { traceparent: otherTraceparent, tracestate: 'other=1' },
    send_at: Date.now() + 3_600_000,
  })
  await eventually(async () => expect((await first.webhooks.deliveries()).items[0]?.attempts).toHaveLength(1))
  await first.close()
  isDown = false
  const second = await start(options)
  expect((await second.inbox.waitFor(`trace:${traceId}`)).source).toBe('smtp')
  const [scheduled] = (await second.sending.scheduled.list()).items
  await second.sending.sendNow(scheduled?.id ?? '')
  await second.inbox.waitFor(`trace:${otherId}`)
  const { items } = await second.webhooks.deliveries()
  await second.webhooks.replay(items.at(-1)?.id ?? '')
  await eventually(() => expect(receiver.received).toHaveLength(3))
  const traces = receiver.received.map(
    ({ headers }) => `${String(headers['traceparent'])} ${String(headers['tracestate'])}`,
  )
  const ours = `${traceparent} ${tracestate}`
  expect(traces.sort()).toEqual([`${otherTraceparent} other=1`, ours, ours].sort())
})

test('a webhook of a mail without a trace has no such header', async () => {
  const receiver = await openReceiver()
  const post = await start({ webhooks: [{ url: receiver.url }] })
  await submit(post, { text: 'Hi' })
  await eventually(() => expect(receiver.received.length).toBeGreaterThan(0))
  expect(receiver.received[0]?.headers).not.toHaveProperty('traceparent')
  expect(receiver.received[0]?.headers).not.toHaveProperty('tracestate')
})

test('a search for what is no id of a trace says so', async () => {
  const post = await start()
  for (const wrong of ['trace:4bf9', `trace:${traceparent}`, 'trace:'])
    await expect(post.inbox.list({ query: wrong })).rejects.toMatchObject({ code: 'invalid_query' })
  await expect(post.inbox.list({ query: 'trace:4bf9' })).rejects.toThrow('32 hexadecimal digits')
})
