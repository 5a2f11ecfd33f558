import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createClock } from '../../../src/index.ts'
import { start } from '../../support/instance.ts'
import { eventually, openReceiver } from '../../webhooks/_receiver.ts'
import { containing } from '../_resend.ts'
import { mail, mailgunCaller, messages, settled, type Call } from './_mailgun.ts'

interface Event {
  event: string
  id: string
  timestamp: number
  recipient: string
  severity?: string
  reason?: string
  tags: string[]
  message: { headers: Record<string, string> }
  storage: { key: string; url: string }
  'user-variables': object
  'delivery-status'?: { code: number; 'enhanced-code'?: string }
}

interface Page {
  items: Event[]
  paging: Record<'first' | 'next' | 'previous' | 'last', string>
}

const pathOf = (link: string): string => new URL(link).pathname.slice('/mailgun'.length)
const all = async (call: Call, query = ''): Promise<Page> =>
  (await call<Page>('GET', `/v3/acme.test/events${query}`)).body

describe('the log of events', () => {
  test('has what happened to each recipient, and filters it', async () => {
    const post = await start()
    const call = mailgunCaller(post)
    const to = ['ada@example.com', 'bounce@simulator.localpost']
    const form = { ...mail, to, 'o:tag': ['welcome'], 'v:order': '17', 'o:testmode': 'yes' }
    const { body } = await call('POST', messages, { form })
    await call('POST', '/v3/other.test/messages', { form: { ...mail, subject: 'Other' } })
    await settled(post)
    const { items } = await all(call)
    expect(
      items.map(({ event, severity, recipient }) => [event, severity ?? null, recipient]).sort(),
    ).toEqual([
      ['accepted', null, 'ada@example.com'],
      ['accepted', null, 'bounce@simulator.localpost'],
      ['delivered', null, 'ada@example.com'],
      ['failed', 'permanent', 'bounce@simulator.localpost'],
    ])
    const ownId = { ...mail, subject: 'Own id', 'h:Message-Id': '<a@elsewhere.test>' }
    await call('POST', '/v3/third.test/messages', { form: { ...ownId, from: 'hi@third.test' } })
    await settled(post)
    expect((await call<Page>('GET', '/v3/third.test/events?event=accepted')).body.items).toHaveLength(1)
    const failed = items.find(({ event }) => event === 'failed')
    expect(failed).toMatchObject({
      'log-level': 'error',
      'recipient-domain': 'simulator.localpost',
      reason: 'bounce',
      tags: ['welcome'],
      'user-variables': { order: '17' },
      flags: { 'is-test-mode': true },
      envelope: { sender: 'hi@acme.test' },
      'delivery-status': { code: 550, 'enhanced-code': '5.1.1' },
      message: {
        headers: { 'message-id': body.id.slice(1, -1), subject: 'Hello', from: 'Acme <hi@acme.test>' },
      },
    })
    const counts: Record<string, number> = {
      'event=failed': 1,
      'event=delivered+OR+failed': 2,
      'event=NOT+accepted': 2,
      'event=rejected': 0,
      'severity=permanent': 1,
      'recipient=ADA@example.com': 2,
      'recipient=ada+AND+NOT+example.com': 0,
      'to=bounce@simulator.localpost': 4,
      'from=hi@acme.test': 4,
      'subject=%22Hello%22': 4,
      'subject=Other': 0,
      'tags=welcome': 4,
      'tags=other': 0,
      [`message-id=${encodeURIComponent(body.id)}`]: 4,
      [`message-id=${encodeURIComponent(body.id.slice(1, -1))}&event=delivered`]: 1,
      'message-id=none': 0,
      'begin=Tue, 24 Nov 2020 09:00:00 -0000&ascending=yes&pretty=yes': 4,
      'begin=1&end=2': 0,
      'begin=4102444800&ascending=yes': 0,
    }
    for (const [query, count] of Object.entries(counts))
      expect([query, (await all(call, `?${query}`)).items.length]).toEqual([query, count])
    const stored = await call<object>('GET', pathOf(failed?.storage.url ?? ''))
    expect(stored.body).toMatchObject({
      subject: 'Hello',
      'Message-Id': body.id,
      'body-plain': 'It works.',
      recipients: to.join(', '),
    })
  })

  test('has pages in both directions, whose links keep the filters', async () => {
    const post = await start({ clock: createClock({ now: '2026-11-26T09:00:00Z' }) })
    const call = mailgunCaller(post)
    const to = Array.from({ length: 5 }, (_, i) => `a${i}@example.com`)
    await call('POST', messages, { form: { ...mail, to } })
    await settled(post)
    for (const order of ['no', 'yes']) {
      const whole = (await all(call, `?event=accepted&ascending=${order}`)).items.map(({ id }) => id)
      expect(whole).toHaveLength(5)
      let page = await all(call, `?event=accepted&ascending=${order}&limit=2`)
      const { first, last } = page.paging
      const seen: string[][] = []
      for (; page.items.length > 0; page = (await call<Page>('GET', pathOf(page.paging.next))).body)
        seen.push(page.items.map(({ id }) => id))
      expect([order, seen.map((ids) => ids.length), seen.flat()]).toEqual([order, [2, 2, 1], whole])
      const before = (await call<Page>('GET', pathOf(page.paging.previous))).body
      expect(before.items.map(({ id }) => id)).toEqual(whole.slice(3))
      const ends = await Promise.all([first, last].map((link) => call<Page>('GET', pathOf(link))))
      expect(ends.map(({ body }) => body.items.map(({ id }) => id))).toEqual([
        whole.slice(0, 2),
        whole.slice(3),
      ])
    }
  })

  test('refuses what it cannot filter by, and links that are none', async () => {
    const post = await start()
    const call = mailgunCaller(post)
    const wrong = [
      'begin=soon',
      'end=x',
      'ascending=maybe',
      'limit=0',
      'limit=301',
      'list=a',
      'size=1',
      'other=1',
      'event=a&event=b',
    ]
    for (const query of wrong) {
      const { status, body } = await call<{ message: string }>('GET', `/v3/acme.test/events?${query}`)
      expect([query, status, body.message]).toEqual([query, 400, containing(query.split('=')[0] ?? '')])
    }
    for (const page of ['x', 'e30', Buffer.from('{"limit":1e9}').toString('base64url')])
      expect(await call('GET', `/v3/acme.test/events/${page}`)).toMatchObject({ status: 400 })
    expect(await call('GET', '/v3/none/events')).toMatchObject({ status: 404 })
    expect(await call('GET', '/v3/domains/acme.test/messages/none')).toMatchObject({ status: 404 })
  })
})

describe('webhooks', () => {
  const hooks = '/v3/domains/acme.test/webhooks'

  test('have the URLs of each event, with one signing key', async () => {
    const post = await start()
    const call = mailgunCaller(post)
    const [one, two] = ['http://127.0.0.1:9/one', 'http://127.0.0.1:9/two'] as const
    expect(await call('GET', '/v5/accounts/http_signing_key')).toMatchObject({ status: 404 })
    const created = await call('POST', hooks, { form: { id: 'accepted', url: [one, two] } })
    expect(created.body).toEqual({ message: 'Webhook has been created', webhook: { urls: [one, two] } })
    await call('POST', hooks, { query: { id: 'permanent_fail', url: one } })
    expect((await call('GET', hooks)).body).toEqual({
      webhooks: { accepted: { urls: [one, two] }, permanent_fail: { urls: [one] } },
    })
    const updated = await call('PUT', `${hooks}/accepted`, { form: { url: two } })
    expect(updated.body).toEqual({ message: 'Webhook has been updated', webhook: { urls: [two] } })
    expect((await call('GET', `${hooks}/permanent_fail`)).body).toEqual({ webhook: { urls: [one] } })
    const { items } = await post.webhooks.list()
    expect(new Set(items.map(({ secret }) => secret)).size).toBe(1)
    const { body } = await call('GET', '/v5/accounts/http_signing_key')
    expect(body).toEqual({ message: 'success', http_signing_key: items[0]?.secret })
    const deleted = await call('DELETE', `${hooks}/accepted`)
    expect(deleted.body).toEqual({ message: 'Webhook has been deleted', webhook: { urls: [two] } })
    await call('DELETE', `${hooks}/permanent_fail`)
    expect((await post.webhooks.list()).count).toBe(0)
  })

  test('keep every change of many at once, and nothing of one that is wrong in part', async () => {
    const post = await start()
    const call = mailgunCaller(post)
    const url = 'http://127.0.0.1:9/'
    const ids = ['opened', 'clicked', 'delivered', 'accepted']
    await Promise.all(ids.map((id) => call('POST', hooks, { form: { id, url } })))
    const { body } = await call<{ webhooks: object }>('GET', hooks)
    expect(Object.keys(body.webhooks).sort()).toEqual([...ids].sort())
    for (const [method, path, form] of [
      ['POST', hooks, { id: 'complained', url: ['http://127.0.0.1:9/new', 'http://169.254.169.254/'] }],
      ['PUT', `${hooks}/opened`, { url: ['http://127.0.0.1:9/new', 'nowhere'] }],
    ] as const)
      expect(await call(method, path, { form })).toMatchObject({ status: 400 })
    expect((await call('GET', hooks)).body).toEqual(body)
    expect((await post.webhooks.list()).count).toBe(1)
  })

  test('stay as they are where one of them comes from the options', async () => {
    const url = 'http://127.0.0.1:9/options'
    const post = await start({ webhooks: [{ url, shape: 'mailgun', shape_events: ['opened', 'clicked'] }] })
    const call = mailgunCaller(post)
    const other = 'http://127.0.0.1:9/other'
    await call('POST', hooks, { form: { id: 'delivered', url: other } })
    const before = await call('GET', hooks)
    for (const [method, path, given] of [
      ['PUT', `${hooks}/opened`, { form: { url: ['http://127.0.0.1:9/new', other] } }],
      ['PUT', `${hooks}/delivered`, { form: { url: ['http://127.0.0.1:9/new', url] } }],
      ['POST', hooks, { form: { id: 'accepted', url: ['http://127.0.0.1:9/new', url] } }],
      ['DELETE', `${hooks}/clicked`],
    ] as const)
      expect(await call(method, path, given)).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('comes from the options') as string },
      })
    expect(await call('GET', hooks)).toEqual(before)
    expect((await post.webhooks.list()).count).toBe(2)
  })

  test('show the events of one that was made with those of Localpost', async () => {
    const post = await start()
    const call = mailgunCaller(post)
    const url = 'http://127.0.0.1:9/'
    await post.webhooks.create({ url, shape: 'mailgun', events: ['email.opened'] })
    expect((await call('GET', hooks)).body).toEqual({ webhooks: { opened: { urls: [url] } } })
    await call('POST', hooks, { form: { id: 'clicked', url } })
    expect((await post.webhooks.list()).items[0]?.shape_events).toEqual(['opened', 'clicked'])
  })

  test('are refused where they are wrong', async () => {
    const post = await start()
    const call = mailgunCaller(post)
    await call('POST', hooks, { form: { id: 'opened', url: 'http://127.0.0.1:9/' } })
    const wrong: [Record<string, string | string[]>, string][] = [
      [{ id: 'opened', url: 'http://127.0.0.1:9/2' }, 'already exists'],
      [{ id: 'unsubscribed', url: 'http://127.0.0.1:9/' }, "'id' parameter must be one of"],
      [{ id: 'clicked', url: 'nowhere' }, "'url' parameter"],
      [{ id: 'clicked' }, "'url' parameter"],
      [
        { id: 'clicked', url: ['http://a.test', 'http://b.test', 'http://c.test', 'http://d.test'] },
        "'url' parameter",
      ],
    ]
    for (const [form, message] of wrong)
      expect(await call('POST', hooks, { form })).toMatchObject({
        status: 400,
        body: { message: containing(message) },
      })
    for (const method of ['GET', 'DELETE'])
      expect(await call(method, `${hooks}/clicked`)).toMatchObject({ status: 404 })
    expect((await post.webhooks.list()).count).toBe(1)
  })

  test('post each event, signed anew for each try', async () => {
    const post = await start({ webhookRetryDelaysMs: [1] })
    const { url, received } = await openReceiver((response, _, count) => {
      response.statusCode = count === 1 ? 500 : 200
      response.end()
    })
    const { secret } = await post.webhooks.create({ url, shape: 'mailgun', shape_events: ['accepted'] })
    await mailgunCaller(post)('POST', messages, { form: mail })
    await eventually(() => expect(received).toHaveLength(2))
    const bodies = received.map(({ text }) => JSON.parse(text) as Signed)
    const tokens = bodies.map(({ signature: { timestamp, token, signature }, 'event-data': event }) => {
      expect(signature).toBe(
        createHmac('sha256', secret)
          .update(timestamp + token)
          .digest('hex'),
      )
      expect(event).toMatchObject({ event: 'accepted', recipient: mail.to })
      return token
    })
    expect(new Set(tokens).size).toBe(tokens.length)
    expect(tokens[0]).toMatch(/^[\da-f]{50}$/)
  })
})

interface Signed {
  signature: { timestamp: string; token: string; signature: string }
  'event-data': object
}
