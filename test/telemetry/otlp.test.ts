import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openOtlp } from '../../src/telemetry/otlp.ts'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'
import { eventually } from '../webhooks/_receiver.ts'
import { spanId, traceId, traceparent, tracestate } from './_trace.ts'

interface Span {
  name: string
  traceId: string
  parentSpanId?: string
  traceState?: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: object }[]
  status: object
}
interface Body {
  resourceSpans: [{ resource: { attributes: unknown }; scopeSpans: [{ scope: unknown; spans: Span[] }] }]
}

async function openCollector(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function collect(): Promise<{ url: string; bodies: Body[]; paths: string[] }> {
  const [bodies, paths]: [Body[], string[]] = [[], []]
  const url = await openCollector((request, response) => {
    let text = ''
    request.on('data', (piece: Buffer) => (text += piece.toString()))
    request.on('end', () => {
      paths.push(`${request.method} ${request.url} ${request.headers['content-type']}`)
      bodies.push(JSON.parse(text) as Body)
      response.end('{}')
    })
  })
  return { url, bodies, paths }
}

const spansOf = (bodies: readonly Body[]): Span[] =>
  bodies.flatMap(({ resourceSpans: [{ scopeSpans }] }) => scopeSpans[0].spans)

test('spans are posted to the collector, at the latest when the instance closes', async () => {
  const { url, bodies, paths } = await collect()
  const post = await start({ otlpEndpoint: `${url}/` })
  const began = Date.now()
  const id = await submit(post, { text: 'Hi', headers: { traceparent, tracestate } })
  await post.close()
  expect(paths).toEqual(['POST /v1/traces application/json'])
  const [span] = spansOf(bodies)
  expect(span).toMatchObject({
    name: 'email accept',
    traceId,
    parentSpanId: spanId,
    traceState: tracestate,
    kind: 2,
    status: {},
    attributes: expect.arrayContaining([
      { key: 'localpost.email.id', value: { stringValue: id } },
      { key: 'localpost.recipient.count', value: { intValue: '1' } },
    ]),
  })
  const [from, to] = [Number(span?.startTimeUnixNano) / 1e6, Number(span?.endTimeUnixNano) / 1e6]
  expect(from).toBeGreaterThan(began - 60_000)
  expect(to).toBeGreaterThan(from)
  expect(bodies[0]?.resourceSpans[0].resource.attributes).toContainEqual({
    key: 'service.name',
    value: { stringValue: 'localpost' },
  })
})

test('they are posted while the instance runs', async () => {
  const { url, bodies } = await collect()
  const post = await start({ otlpEndpoint: url })
  await submit(post, { text: 'Hi' })
  await eventually(() => expect(spansOf(bodies)).toHaveLength(1))
  expect(spansOf(bodies)[0]).not.toHaveProperty('parentSpanId')
})

test('a trace that is not sampled has no spans', async () => {
  const { url, bodies } = await collect()
  const post = await start({ otlpEndpoint: url })
  await submit(post, { text: 'Hi', headers: { traceparent: traceparent.replace(/01$/, '00') } })
  await post.close()
  expect(bodies).toEqual([])
})

test('a collector that hangs holds up neither mail nor the end, and what waits is limited', async () => {
  let requests = 0
  const url = await openCollector(() => requests++)
  const warnings: string[] = []
  const tracer = openOtlp(url, { onWarning: (message) => warnings.push(message), timeoutMs: 50 })
  for (let i = 0; i < 10_000; i++) tracer.begin('email accept', undefined)?.end({ i })
  await tracer.close()
  expect(requests).toBeGreaterThan(0)
  expect(requests).toBeLessThanOrEqual(6)
  // The first at once, and the others when it closes: together all of them.
  expect(warnings).toEqual([
    expect.stringMatching(/does not get 1 spans: more than 2048 spans wait for it/),
    expect.stringMatching(/does not get 9999 spans: no answer within 50 ms/),
  ])
})

test.each([
  [
    'refuses',
    (): Promise<string> => openCollector((_, response) => void response.writeHead(503).end()),
    10_000,
    '503',
  ],
  ['is gone', () => Promise.resolve('http://127.0.0.1:9'), 10_000, 'ECONNREFUSED'],
  ['hangs', () => openCollector(() => {}), 50, 'no answer within 50 ms'],
])('a collector that %s is reported once', async (_, open, timeoutMs, reason) => {
  const warnings: string[] = []
  const tracer = openOtlp(await open(), { onWarning: (message) => warnings.push(message), timeoutMs })
  tracer.begin('email accept', undefined)?.end({})
  await tracer.close()
  expect(warnings).toEqual([expect.stringContaining(reason)])
})

test('what a collector that hangs has not got is dropped when the instance closes', async () => {
  const warnings: string[] = []
  const tracer = openOtlp(await openCollector(() => {}), {
    onWarning: (message) => warnings.push(message),
    timeoutMs: 60_000,
  })
  for (let i = 0; i < 2000; i++) tracer.begin('email accept', undefined)?.end({ i })
  const began = performance.now()
  await tracer.close()
  // Two seconds, not one request after the other.
  expect(performance.now() - began).toBeLessThan(30_000)
  const counts = warnings.map((warning) =>
    Number(/does not get (\d+) spans: Localpost is closing/.exec(warning)?.[1]),
  )
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2000)
})
