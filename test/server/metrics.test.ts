import { connect } from 'node:net'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { createCounts } from '../../src/core/counts.ts'
import { fixedClock, type Localpost } from '../../src/index.ts'
import { createInstanceFacts } from '../../src/instance/metric-facts.ts'
import { readMetricFacts } from '../../src/server/health.ts'
import { sampleName } from '../../src/telemetry/exposition.ts'
import { familiesOf, metricRows } from '../../src/telemetry/metrics.ts'
import { goodMail } from '../support/mail.ts'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'
import { describeBoth, openInProcess, type Face } from './_face.ts'

/** The samples of an answer, by their names with labels. */
function samplesOf(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.replace(/ \S+$/, ''), Number(/\S+$/.exec(line)?.[0])]))
}

async function scrape(face: Face, path = '/metrics'): Promise<Map<string, number>> {
  return samplesOf(await (await face.call('GET', path)).text())
}

/** Speaks lines to the SMTP port, and reads until the connection ends. */
async function speak({ smtp }: Localpost, lines: readonly string[]): Promise<string> {
  const socket = connect(smtp.port, smtp.host)
  let said = ''
  socket.on('data', (piece) => (said += String(piece)))
  socket.write(lines.map((line) => `${line}\r\n`).join(''))
  await once(socket, 'close')
  return said
}

describeBoth('the metrics', (open) => {
  test('count what happens', async () => {
    const face = await open({ rejectSubmissions: true })
    const { post } = face
    await post.rules.set([{ match: 'no@example.com', action: 'reject', code: 551 }])
    await scrape(face)
    await face.call('POST', '/v1/emails', { body: goodMail })
    await face.call('GET', '/v1/emails/em_nothing')
    await face.call('GET', '/v1/emails/em_nothing', { key: 'wrong' })
    await face.call('DELETE', '/v1/emails')
    await face.call('GET', '/nothing/here')
    await submit(post, { from: 'a@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'Hi' })
    await speak(post, ['EHLO a', 'MAIL FROM:<a@acme.test>', 'RCPT TO:<no@example.com>', 'BOGUS', 'QUIT'])
    await post.sending.send({ ...goodMail, send_at: new Date(Date.now() + 86_400_000).toISOString() })
    await post.sending.send({ ...goodMail, to: 'no@example.com' })
    await expect.poll(async () => (await scrape(face)).get('localpost_outbox_waiting')).toBe(0)
    const ended = new AbortController()
    const wait = post.inbox.waitFor({ subject: 'never' }, { signal: ended.signal })
    const seen = await scrape(face)
    expect(
      Object.fromEntries([...seen].filter(([name]) => !/^(?:process|nodejs)_/.test(name))),
    ).toMatchObject({
      localpost_accepting: 1,
      localpost_disk_low: 0,
      localpost_smtp_sessions_total: 2,
      localpost_smtp_sessions_open: 0,
      localpost_smtp_messages_total: 1,
      'localpost_smtp_refusals_total{code="551"}': 1,
      'localpost_smtp_refusals_total{code="500"}': 1,
      'localpost_http_requests_total{method="POST",route="/v1/emails",status="200"}': 1,
      'localpost_http_requests_total{method="GET",route="/v1/emails/{id}",status="404"}': 1,
      'localpost_http_requests_total{method="GET",route="/v1/emails/{id}",status="401"}': 1,
      'localpost_http_requests_total{method="DELETE",route="/v1/emails",status="405"}': 1,
      'localpost_http_requests_total{method="GET",route="other",status="404"}': 1,
      'localpost_deliveries_total{via="capture",outcome="delivered"}': 1,
      'localpost_deliveries_total{via="capture",outcome="bounced"}': 1,
      'localpost_deliveries_total{via="relay",outcome="delivered"}': 0,
      'localpost_webhook_attempts_total{outcome="delivered"}': 0,
      localpost_webhooks_waiting: 0,
      localpost_scheduled_waiting: 1,
      localpost_waits_open: 1,
      localpost_store_emails: 3,
      localpost_store_errors_total: 0,
      'localpost_records{kind="emails"}': 3,
    })
    expect(seen.get('localpost_store_commits_total')).toBeGreaterThan(3)
    expect(seen.get('localpost_store_bytes')).toBeGreaterThan(100)
    expect(seen.get('nodejs_heap_size_used_bytes')).toBeGreaterThan(1e6)
    ended.abort()
    await expect(wait).rejects.toThrow()
    expect((await scrape(face)).get('localpost_waits_open')).toBe(0)
    await expect
      .poll(async () => (await scrape(face)).get('localpost_event_loop_delay_seconds{statistic="p99"}'))
      .toBeGreaterThanOrEqual(0)
    // Each name is one of the table.
    const known = new Set(metricRows.map(sampleName))
    for (const name of (await scrape(face)).keys()) expect(known).toContain(name.replace(/\{.*/, ''))
  })

  test('are in OpenMetrics for who asks for it, and are not stored', async () => {
    const face = await open()
    const plain = await face.call('GET', '/metrics')
    expect(plain.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const answer = await face.call('GET', '/metrics', {
      headers: { accept: 'application/openmetrics-text;version=1.0.0,text/plain;q=0.5' },
    })
    expect(answer.headers.get('content-type')).toBe(
      'application/openmetrics-text; version=1.0.0; charset=utf-8',
    )
    expect(answer.headers.get('vary')).toBe('Accept')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.text()).toMatch(/^# TYPE localpost info\n[^]*\n# EOF\n$/)
    const head = await face.call('HEAD', '/metrics')
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})

describe('who may read the metrics', () => {
  test('is decided as for the health', async () => {
    const face = await openInProcess({ requireKey: true })
    const { post } = face
    const { api_key: other } = await post.accounts.create({ name: 'secret-team' })
    const made = async (scope: string): Promise<string> => {
      const answer = await face.call('POST', '/dev/keys', { key: post.apiKey, body: { name: scope, scope } })
      return ((await answer.json()) as { value: string }).value
    }
    const keys = {
      none: null,
      wrong: 'wrong',
      full: post.apiKey,
      read: await made('read'),
      send: await made('send'),
    }
    const statuses = { none: 401, wrong: 401, full: 200, read: 200, send: 403, other: 200 }
    for (const [name, key] of Object.entries({ ...keys, other })) {
      const [health, metrics] = await Promise.all(
        ['/dev/health', '/metrics'].map(async (path) => (await face.call('GET', path, { key })).status),
      )
      expect([name, metrics, health]).toEqual([
        name,
        statuses[name as keyof typeof statuses],
        statuses[name as keyof typeof statuses],
      ])
    }
    const embedded = { headers: { 'sec-fetch-dest': 'image' }, key: post.apiKey }
    expect((await face.call('GET', '/metrics', embedded)).status).toBe(403)
  })

  test('an account sees its own records, and nothing of the instance', async () => {
    const face = await openInProcess({ requireKey: true })
    const { api_key: key, name } = await face.post.accounts.create({ name: 'secret-team' })
    await face.call('POST', '/v1/emails', { body: goodMail })
    for (const [path, by] of [
      ['/metrics', key],
      ['/dev/metrics', key],
      [`/metrics?account=${name}`, key],
    ] as const) {
      const text = await (await face.call('GET', path, { key: by })).text()
      const seen = samplesOf(text)
      expect(seen.get('localpost_records{kind="emails"}')).toBe(0)
      expect(
        [...seen.keys()].filter((one) => /smtp|http|deliveries|store_|outbox|database/.test(one)),
      ).toEqual([])
    }
    const foreign = await face.call('GET', '/metrics?account=default', { key })
    expect(foreign.status).toBe(404)
  })
})

test('no name of an account, address or path is in a label, and there are few series', async () => {
  const face = await openInProcess()
  const { post } = face
  const hostile = 'evil"} 1\nlocalpost_fake 9'
  for (let n = 0; n < 20; n++) {
    const { name } = await post.accounts.create({ name: `secret-${n}` })
    await post
      .account(name)
      .sending.send({ ...goodMail, to: `secret${n}@reader.test`, subject: `secret ${n}` })
    await face.call('GET', `/v1/emails/${encodeURIComponent(`secret ${hostile}${n}`)}`)
    await face.call('GET', `/secret-${n}/${encodeURIComponent(hostile)}`)
    await face.call(`SECRET${n}`, '/v1/emails')
    await speak(post, [`EHLO secret${n}`, `SECRET${n} ${hostile}`, 'QUIT'])
  }
  await expect.poll(async () => (await scrape(face)).get('localpost_outbox_waiting')).toBe(0)
  const text = await (await face.call('GET', '/metrics')).text()
  expect(text).not.toMatch(/secret|evil|fake/i)
  const seen = samplesOf(text)
  // Those of all accounts are counted.
  expect(seen.get('localpost_store_emails')).toBe(20)
  expect(seen.get('localpost_deliveries_total{via="capture",outcome="delivered"}')).toBe(20)
  expect(seen.get('localpost_http_requests_total{method="GET",route="/v1/emails/{id}",status="404"}')).toBe(
    20,
  )
  expect(seen.size).toBeLessThan(100)
})

test('a database that hangs does not hold up what the process knows itself', async () => {
  const hanging = (): Promise<never> => new Promise(() => {})
  const counts = createCounts()
  counts.smtp.messages = 7
  const facts = createInstanceFacts(
    counts,
    { sessionCount: () => 1 },
    { total: hanging, figures: async () => ({ commits: 3, failures: 0, bytes: null }) },
  )
  const connections = { used: 1, idle: 0, waiting: 5 }
  const read = await readMetricFacts({
    store: { count: hanging },
    state: async () => ({
      status: 'refusing',
      store: 'postgresql',
      smtp: { host: '127.0.0.1', port: 25, starttls: false, login: 'optional' },
      ca: null,
      warnings: [],
      database: {
        schema: 'localpost',
        search: 'scan',
        instances: null,
        round_trip_ms: null,
        has_turn: false,
        last_commit: 9,
        connections,
      },
    }),
    instance: { facts: facts.read },
  })
  const seen = Object.fromEntries(
    familiesOf(read).map(({ metric, samples }) => [sampleName(metric), samples.map(({ value }) => value)]),
  )
  expect(seen).toMatchObject({
    localpost_accepting: [0],
    localpost_database_up: [0],
    localpost_records: [],
    localpost_outbox_waiting: [],
    localpost_smtp_messages_total: [7],
    localpost_store_commits_total: [3],
  })
  facts.close()
})

test('only outcomes that are stored are counted', async () => {
  const late = 'late@example.com'
  const face = await openInProcess({
    clock: fixedClock('2026-01-01T00:00:00Z'),
    rules: [{ match: '*', action: 'delay', delay_ms: 1000 }],
  })
  const { id } = await face.post.emails.send({ ...goodMail, to: late })
  // Its delivery has begun, and is answered late.
  await face.post.clock.advance(500)
  await face.post.emails.addEvent(id, { recipient: late, status: 'bounced' })
  // The delivery of a later email ends after it.
  const { id: later } = await face.post.emails.send(goodMail)
  await face.post.clock.advance(2000)
  expect((await face.post.emails.get(later)).last_event.status).toBe('delivered')
  const delivered = 'localpost_deliveries_total{via="capture",outcome="delivered"}'
  expect((await scrape(face)).get(delivered)).toBe(1)
})

test('counts webhooks by outcome', async () => {
  const post = await start({ webhookRetryDelaysMs: [3_600_000] })
  await post.webhooks.create({ url: 'http://127.0.0.1:9/none', events: ['email.sent'] })
  await post.emails.send({ ...goodMail })
  const read = async (): Promise<Map<string, number>> =>
    samplesOf(await (await post.fetch(new Request('http://localpost/metrics'))).text())
  await expect
    .poll(async () => (await read()).get('localpost_webhook_attempts_total{outcome="retried"}'))
    .toBe(1)
  expect((await read()).get('localpost_webhooks_waiting')).toBe(1)
})
