import { context, createTraceState, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import {
  AlwaysOffSampler,
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { lastingPlace } from '../support/adapters.ts'
import { start, startListening } from '../support/instance.ts'
import { goodMail } from '../support/mail.ts'
import { submit } from '../support/submit.ts'
import { eventually, openReceiver } from '../webhooks/_receiver.ts'
import { otherId, otherTraceparent, spanId, traceId, traceparent, tracestate } from './_trace.ts'

/** Registers a tracer provider, as an app does. */
function register(sampler?: Sampler): { spans(): ReadableSpan[]; provider: BasicTracerProvider } {
  const exporter = new InMemorySpanExporter()
  const spanProcessors = [new SimpleSpanProcessor(exporter)]
  const provider = new BasicTracerProvider({ spanProcessors, ...(sampler && { sampler }) })
  trace.setGlobalTracerProvider(provider)
  onTestFinished(async () => {
    trace.disable()
    context.disable()
    await provider.shutdown()
  })
  return { spans: () => exporter.getFinishedSpans(), provider }
}

const named = (spans: readonly ReadableSpan[], name: string): ReadableSpan[] =>
  spans.filter((span) => span.name === name)

test('a request of an app is followed to the webhook, also over a restart', async () => {
  const { spans } = register()
  const place = lastingPlace()
  let isDown = true
  const receiver = await openReceiver((response) => response.writeHead(isDown ? 503 : 200).end())
  const webhooks = [{ url: receiver.url, events: ['email.delivered' as const] }]
  const first = await startListening({ ...place, webhooks, webhookRetryDelaysMs: [1] })
  const answer = await fetch(`${first.url}/v1/emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${first.apiKey}`, 'content-type': 'application/json', traceparent },
    body: JSON.stringify({ ...goodMail, subject: 'A secret' }),
  })
  const { id } = (await answer.json()) as { id: string }
  await eventually(() => expect(named(spans(), 'email webhook').length).toBeGreaterThan(0))
  await first.close()
  isDown = false
  const second = await start({ ...place, webhooks })
  const [delivery] = (await second.webhooks.deliveries()).items
  await second.webhooks.replay(delivery?.id ?? '')
  await eventually(() =>
    expect(named(spans(), 'email webhook').at(-1)?.attributes).toMatchObject({
      'http.response.status_code': 200,
    }),
  )
  expect((await second.inbox.get(id)).trace_id).toBe(traceId)

  const all = spans()
  expect(new Set(all.map(({ name }) => name))).toEqual(
    new Set(['email accept', 'email compose', 'email deliver', 'email webhook']),
  )
  for (const span of all) {
    expect(span.spanContext().traceId).toBe(traceId)
    expect(span.instrumentationScope.name).toBe('localpost')
    expect(span.attributes['localpost.email.id']).toBe(id)
    // Nothing of the mail itself.
    expect(JSON.stringify([span.name, span.attributes, span.status, span.events])).not.toMatch(
      /secret|ada|acme/i,
    )
  }
  const [accept] = named(all, 'email accept')
  expect(accept).toMatchObject({ kind: SpanKind.SERVER, parentSpanContext: { spanId } })
  const own = accept?.spanContext().spanId
  for (const span of all) if (span !== accept) expect(span.parentSpanContext?.spanId).toBe(own)
  expect(named(all, 'email compose')[0]).toMatchObject({
    kind: SpanKind.INTERNAL,
    attributes: { 'localpost.attachment.count': 0 },
  })
  expect(named(all, 'email deliver')[0]).toMatchObject({
    kind: SpanKind.CLIENT,
    status: { code: SpanStatusCode.UNSET },
    attributes: {
      'localpost.via': 'capture',
      'localpost.attempt': 1,
      'localpost.recipient.count': 1,
      'localpost.refused.count': 0,
      'network.protocol.name': 'smtp',
    },
  })
  const [failed] = named(all, 'email webhook')
  expect(failed).toMatchObject({
    kind: SpanKind.CLIENT,
    status: { code: SpanStatusCode.ERROR },
    attributes: {
      'http.request.method': 'POST',
      'http.response.status_code': 503,
      'server.address': '127.0.0.1',
      'error.type': '503',
    },
  })
  // Each request to the receiver names the span that made it.
  const made = named(all, 'email webhook').map((span) => `00-${traceId}-${span.spanContext().spanId}-01`)
  expect(receiver.received.map(({ headers }) => headers['traceparent'])).toEqual(made)
})

test('a mail over SMTP has the span of its submission', async () => {
  const { spans } = register()
  const post = await start()
  const id = await submit(post, { text: 'Hi', headers: { traceparent } })
  const [accept] = spans()
  expect(accept).toMatchObject({
    name: 'email accept',
    parentSpanContext: { traceId, spanId },
    attributes: { 'localpost.email.id': id, 'localpost.source': 'smtp', 'network.protocol.name': 'smtp' },
  })
  expect(spans()).toHaveLength(1)
})

test('mail without a trace begins one, and keeps it', async () => {
  const { spans } = register()
  const post = await start()
  const id = await submit(post, { text: 'Hi' })
  const [accept] = spans()
  expect(accept?.parentSpanContext).toBeUndefined()
  expect((await post.inbox.get(id)).trace_id).toBe(accept?.spanContext().traceId)
})

test('calls of the library are in the active span of the app', async () => {
  const { spans, provider } = register()
  context.setGlobalContextManager(asyncContexts())
  const post = await start()
  const tracer = provider.getTracer('app')
  const mails: string[] = []
  const expected: string[] = []
  for (const send of [
    () => post.emails.send(goodMail).then(({ id }) => id),
    () => post.sending.send(goodMail).then(({ id }) => id),
    // A server that the app instruments has a span between the request and Localpost.
    (own: string) =>
      post
        .fetch(
          new Request('http://localpost/v1/emails', {
            method: 'POST',
            headers: {
              authorization: `Bearer ${post.apiKey}`,
              'content-type': 'application/json',
              traceparent: own.replace(/-[\da-f]{16}-/, `-${spanId}-`),
            },
            body: JSON.stringify(goodMail),
          }),
        )
        .then(async (answer) => ((await answer.json()) as { id: string }).id),
  ]) {
    const span = tracer.startSpan('app')
    const { traceId: id, spanId: parent } = span.spanContext()
    mails.push(await context.with(trace.setSpan(context.active(), span), () => send(`00-${id}-${parent}-01`)))
    span.end()
    expected.push(parent)
  }
  const accepts = named(spans(), 'email accept')
  expect(accepts.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(expected)
  expect(accepts.map(({ attributes }) => attributes['localpost.email.id'])).toEqual(mails)
})

test('a request over a socket is not in the span in which the port was opened', async () => {
  const { spans, provider } = register()
  context.setGlobalContextManager(asyncContexts())
  const span = provider.getTracer('app').startSpan('app')
  const { traceId: appTrace } = span.spanContext()
  const post = await context.with(trace.setSpan(context.active(), span), () => startListening())
  const send = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${post.url}/v1/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${post.apiKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(goodMail),
    })
  await send({})
  // The app called it within the same trace.
  await send({ traceparent: `00-${appTrace}-${spanId}-01` })
  await send({ traceparent: otherTraceparent })
  const accepts = named(spans(), 'email accept')
  expect(accepts.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([
    undefined,
    spanId,
    otherTraceparent.slice(36, 52),
  ])
  const [alone, ...others] = accepts.map((accept) => accept.spanContext().traceId)
  expect(alone).not.toBe(appTrace)
  expect(others).toEqual([appTrace, otherId])
})

test('an email that is sent later is named by the id that it waits with', async () => {
  const { spans } = register()
  const post = await start()
  await post.sending.send({ ...goodMail, send_at: Date.now() + 3_600_000 })
  const [scheduled] = (await post.sending.scheduled.list()).items
  const [accept] = named(spans(), 'email accept')
  expect(accept?.attributes['localpost.scheduled.id']).toBe(scheduled?.id)
  expect(accept?.attributes).not.toHaveProperty('localpost.email.id')
  const sent = await post.sending.sendNow(scheduled?.id ?? '')
  await eventually(() => expect(named(spans(), 'email deliver')).toHaveLength(1))
  expect(named(spans(), 'email deliver')[0]).toMatchObject({
    attributes: { 'localpost.email.id': sent.id },
    parentSpanContext: { spanId: accept?.spanContext().spanId },
  })
})

test('a request to a webhook that closing ends is no failure of the receiver', async () => {
  const { spans } = register()
  const receiver = await openReceiver(() => {})
  const post = await start({ webhooks: [{ url: receiver.url, events: ['email.delivered'] }] })
  await submit(post, { text: 'Hi', headers: { traceparent } })
  await eventually(() => expect(receiver.received).toHaveLength(1))
  await post.close()
  expect(named(spans(), 'email webhook')).toEqual([])
})

test('what is refused is a span with the code of its error', async () => {
  const { spans } = register()
  const post = await start()
  await expect(post.emails.send({ ...goodMail, to: 'no address' })).rejects.toThrow()
  expect(spans()).toMatchObject([
    {
      name: 'email accept',
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'validation_error', 'localpost.source': 'api' },
    },
  ])
})

const wrong = { ...goodMail, to: 'no address' }
const rawWith = (field: string): string =>
  Buffer.from(`From: hi@acme.test\r\n${field}\r\n\r\nHi`).toString('base64')

test.each([
  ['its own field', wrong, { ...wrong, headers: { TraceParent: otherTraceparent, TraceState: tracestate } }],
  [
    'the field of its raw message',
    { raw: rawWith('Subject: Hi') },
    { raw: rawWith(`Traceparent: ${otherTraceparent}`) },
  ],
  [
    'the field of one of several',
    [wrong, wrong],
    [wrong, { ...wrong, headers: { traceparent: otherTraceparent } }],
  ],
])('what is refused is in the trace of %s, else in that of its request', async (_, without, having) => {
  const { spans } = register()
  const post = await start()
  const send = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    post.fetch(
      new Request('http://localpost/dev/emails', {
        method: 'POST',
        headers: { authorization: `Bearer ${post.apiKey}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    )
  expect((await send(without)).status).toBe(422)
  expect((await send(having)).status).toBe(422)
  expect((await send(having, { traceparent })).status).toBe(422)
  expect((await send(without, { traceparent })).status).toBe(422)
  expect(spans().map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([
    undefined,
    otherTraceparent.slice(36, 52),
    otherTraceparent.slice(36, 52),
    spanId,
  ])
})

test('an instance that an app mounts is in the span of the context in which it is called', async () => {
  const { spans, provider } = register()
  context.setGlobalContextManager(asyncContexts())
  const post = await start()
  const tracer = provider.getTracer('app')
  const parents: (string | undefined)[] = []
  // As the instrumentation of Node's servers does it: nothing of the context in which the port was opened.
  const server = createServer((request, response) => {
    const own = request.headers['x-own'] === undefined ? undefined : tracer.startSpan('GET', {}, ROOT_CONTEXT)
    parents.push(own?.spanContext().spanId)
    const active = own ? trace.setSpan(ROOT_CONTEXT, own) : ROOT_CONTEXT
    void context.with(active, async () => {
      const headers = request.headers as Record<string, string>
      const body = JSON.stringify(goodMail)
      const mounted = new Request(`http://localpost${request.url}`, { method: 'POST', headers, body })
      response.writeHead((await post.fetch(mounted)).status).end()
      own?.end()
    })
  })
  const opening = tracer.startSpan('start')
  await context.with(trace.setSpan(ROOT_CONTEXT, opening), () =>
    once(server.listen(0, '127.0.0.1'), 'listening'),
  )
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const send = (headers: Record<string, string>): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/v1/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${post.apiKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(goodMail),
    })
  const calls: Record<string, string>[] = [{}, { 'x-own': '1' }, {}]
  for (const headers of calls) expect((await send(headers)).status).toBe(200)
  const accepts = named(spans(), 'email accept')
  expect(parents.map((parent) => typeof parent)).toEqual(['undefined', 'string', 'undefined'])
  expect(accepts.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(parents)
})

test('spans have the tracestate of their trace, and pass on what the sampler makes of it', async () => {
  const sampler: Sampler = {
    shouldSample: (parent) => ({
      decision: SamplingDecision.RECORD_AND_SAMPLED,
      traceState: (trace.getSpanContext(parent)?.traceState ?? createTraceState()).set('own', '1'),
    }),
    toString: () => 'test',
  }
  const { spans } = register(sampler)
  const receiver = await openReceiver()
  const post = await start({ webhooks: [{ url: receiver.url, events: ['email.delivered'] }] })
  await submit(post, { text: 'Hi', headers: { traceparent, tracestate } })
  await eventually(() => expect(receiver.received).toHaveLength(1))
  expect(receiver.received[0]?.headers['tracestate']).toBe(`own=1,${tracestate}`)
  await eventually(() => expect(named(spans(), 'email webhook')).toHaveLength(1))
  for (const span of spans()) expect(span.spanContext().traceState?.serialize()).toBe(`own=1,${tracestate}`)
})

test('a bounce is a failed delivery', async () => {
  const { spans } = register()
  const post = await start()
  const { id } = await post.emails.send({ ...goodMail, to: 'bounce@simulator.amazonses.com' })
  await post.inbox.waitFor(`id:${id} status:bounced`)
  const [deliver] = named(spans(), 'email deliver')
  expect(deliver).toMatchObject({
    status: { code: SpanStatusCode.ERROR },
    attributes: { 'localpost.refused.count': 1 },
  })
  expect(deliver?.attributes['error.type']).toMatch(/^5\d\d$/)
})

test('a trace that is not sampled is kept, and passed on as such', async () => {
  const { spans } = register(new AlwaysOffSampler())
  const receiver = await openReceiver()
  const post = await start({ webhooks: [{ url: receiver.url, events: ['email.delivered'] }] })
  await submit(post, { text: 'Hi', headers: { traceparent: traceparent.replace(/01$/, '00') } })
  await eventually(() => expect(receiver.received).toHaveLength(1))
  expect(receiver.received[0]?.headers['traceparent']).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`))
  expect(spans()).toEqual([])
})

test('a provider that is registered later gets the spans from then on', async () => {
  const post = await start()
  const id = await submit(post, { text: 'Hi' })
  expect((await post.inbox.get(id)).trace_id).toBeUndefined()
  const { spans } = register()
  await submit(post, { text: 'Hi' })
  expect(spans()).toHaveLength(1)
})

/** The context manager of an app, which its SDK for Node has. */
function asyncContexts(): Parameters<typeof context.setGlobalContextManager>[0] {
  const storage = new AsyncLocalStorage<ReturnType<typeof context.active>>()
  const root = context.active()
  return {
    active: () => storage.getStore() ?? root,
    with: (active, run, that, ...given) => storage.run(active, () => run.apply(that, given)),
    bind: (_, target) => target,
    enable() {
      return this
    },
    disable() {
      storage.disable()
      return this
    },
  }
}
