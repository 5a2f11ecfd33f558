import { describe, expect, it } from 'vitest'
import { emptyStore } from '../../src/instance/reset.ts'
import { LocalpostError } from '../../src/core/errors.ts'
import { delivered, openNoun } from './_noun.ts'
import { eventually, openReceiver, type Receiver } from './_receiver.ts'

const eventsOf = (receiver: Receiver, emailId: string): string[] =>
  receiver.received.flatMap(({ payload: { type, data } }) =>
    'email_id' in data && data.email_id === emailId ? [type] : [],
  )

describe('webhooks', () => {
  it('are created with a secret and for all events, listed and removed', async () => {
    const { webhooks } = await openNoun()
    const made = await webhooks.create({ url: 'https://hooks.acme.test/x' })
    expect(made).toEqual({
      id: expect.stringMatching(/^wh_/) as string,
      url: 'https://hooks.acme.test/x',
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string,
      events: ['*'],
    })
    expect(await webhooks.list()).toEqual({ items: [made], count: 1, cursor: null })
    await webhooks.remove(made.id)
    expect(await webhooks.list()).toEqual({ items: [], count: 0, cursor: null })
    await expect(webhooks.remove(made.id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it.each([
    [{ url: 'ftp://x.test' }, /http\(s\) URL/],
    [{ url: 'http://x.test/a\r\nb' }, /control/],
    [{ url: 'x' }, /http\(s\) URL/],
    [{ url: 'http://user:pass@x.test' }, /no user name/],
    [{ url: 'http://169.254.169.254/latest' }, /link-local, metadata/],
    [{ url: 'http://[::ffff:a9fe:a9fe]/' }, /link-local, metadata/],
    [{ url: 'http://2852039166/' }, /169\.254\.169\.254/],
    [{ url: 'http://x.test', secret: 'swordfish' }, /whsec_/],
    [{ url: 'http://x.test', secret: 'whsec_AAAA' }, /24 to 64 bytes/],
    [{ url: 'http://x.test', events: [] }, /at least 1/],
    [{ url: 'http://x.test', events: Array(1000).fill('*') as string[] }, /at most \d+ entries/],
    [{ url: 'http://x.test', events: ['email.eaten'] }, /"email\.sent".*"domain\.verified".*"email\.eaten"/],
  ])('are refused with the reason: %j', async (input, reason) => {
    const { webhooks } = await openNoun()
    const error = await webhooks.create(input as never).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'validation_error' })
    expect(error instanceof LocalpostError && error.errors?.[0]?.message).toMatch(reason)
  })

  it('are at most 20', async () => {
    const { webhooks } = await openNoun()
    for (let n = 0; n < 20; n++) await webhooks.create({ url: `http://x.test/${n}` })
    await expect(webhooks.create({ url: 'http://x.test' })).rejects.toMatchObject({ code: 'state_conflict' })
  })

  it('are at most 20, also where many are added at the same time', async () => {
    const { webhooks } = await openNoun()
    const made = Array.from({ length: 25 }, (_, n) => webhooks.create({ url: `http://x.test/${n}` }))
    await Promise.allSettled(made)
    expect((await webhooks.list()).count).toBe(20)
    expect(() => webhooks.assertNew(['http://x.test/new'])).toThrow('20 webhooks')
    expect(() => webhooks.assertNew([])).not.toThrow()
  })

  it('have a unique URL, also where two requests add it at the same time', async () => {
    const { webhooks } = await openNoun({ given: [{ url: 'http://given.test/hooks' }] })
    const { id } = await webhooks.create({ url: 'http://x.test' })
    for (const url of ['http://x.test', 'http://X.test:80/', 'http://given.test/hooks'])
      await expect(webhooks.create({ url, events: ['email.sent'] })).rejects.toMatchObject({
        code: 'webhook_exists',
        message: expect.stringMatching(/already.*remove it first/) as string,
      })
    const both = [{ url: 'http://y.test' }, { url: 'http://y.test' }].map((input) => webhooks.create(input))
    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    await webhooks.remove(id)
    await webhooks.create({ url: 'http://x.test' })
  })

  it('of the options cannot be removed, and have the same id at every start', async () => {
    const given = [{ url: 'http://x.test' }, { url: 'http://x.test' }, { url: 'http://y.test' }]
    const ids = async (): Promise<string[]> => {
      const { webhooks } = await openNoun({ given })
      return (await webhooks.list()).items.map(({ id }) => id)
    }
    const first = await ids()
    expect(first).toEqual(await ids())
    expect(new Set(first).size).toBe(3)
    const { webhooks } = await openNoun({ given })
    await expect(webhooks.remove(String(first[0]))).rejects.toMatchObject({ code: 'state_conflict' })
  })

  it('that a reset removed get no more events', async () => {
    const receiver = await openReceiver()
    const { webhooks, store, email } = await openNoun()
    await webhooks.create({ url: receiver.url })
    await emptyStore(store, [])
    expect((await webhooks.list()).items).toEqual([])
    await email('ada@example.com')
    expect((await webhooks.deliveries()).count).toBe(0)
  })
})

describe('deliveries', () => {
  it('of one email are sent in order and one at a time, however long each takes', async () => {
    const receiver = await openReceiver((response, _, count) => {
      setTimeout(() => response.end(), count === 1 ? 60 : 1)
    })
    const { webhooks, email, happen } = await openNoun()
    await webhooks.create({ url: receiver.url })
    const id = await email('ada@example.com')
    await happen(id, 'ada@example.com', delivered(1), {
      status: 'opened',
      timestamp: 2,
      ip: '',
      user_agent: '',
    })
    await happen(id, 'ada@example.com', { status: 'complained', timestamp: 3 })
    await eventually(() => expect(receiver.received).toHaveLength(4))
    expect(eventsOf(receiver, id)).toEqual([
      'email.sent',
      'email.delivered',
      'email.opened',
      'email.complained',
    ])
    expect(receiver.mostOpen()).toBe(1)
  })

  it('are at most four at once to one webhook', async () => {
    const receiver = await openReceiver((response) => void setTimeout(() => response.end(), 20))
    const { webhooks, email } = await openNoun()
    await webhooks.create({ url: receiver.url })
    await Promise.all(Array.from({ length: 20 }, () => email('ada@example.com')))
    await eventually(() => expect(receiver.received).toHaveLength(20))
    expect(receiver.mostOpen()).toBe(4)
  })

  it('to a receiver that hangs do not delay others', async () => {
    const dead = await openReceiver(() => undefined)
    const receiver = await openReceiver()
    const { webhooks, email } = await openNoun()
    await webhooks.create({ url: dead.url })
    await webhooks.create({ url: receiver.url })
    await Promise.all(Array.from({ length: 20 }, () => email('ada@example.com')))
    await eventually(() => expect(receiver.received).toHaveLength(20))
    expect(dead.received).toHaveLength(4)
  })

  it('are listed newest first, in pages, with the answers', async () => {
    const receiver = await openReceiver()
    const { webhooks, email } = await openNoun({ pageSize: 2 })
    await webhooks.create({ url: receiver.url })
    for (const _ of [1, 2, 3]) await email('ada@example.com')
    const first = await webhooks.deliveries()
    expect(first).toMatchObject({
      count: 3,
      items: [{}, {}],
      cursor: expect.stringMatching(/^whd_/) as string,
    })
    const second = await webhooks.deliveries({ cursor: first.cursor })
    expect(second).toMatchObject({ count: 3, items: [{}], cursor: null })
    expect(first.items[0]?.id.localeCompare(first.items[1]?.id ?? '')).toBe(1)
    await expect(webhooks.deliveries({ cursor: 'em_x' })).rejects.toMatchObject({ code: 'invalid_cursor' })
  })

  it('are replayed with the same webhook-id, as a delivery of their own', async () => {
    const receiver = await openReceiver((response, _, count) => {
      response.writeHead(count === 1 ? 410 : 200).end()
    })
    const { webhooks, email, log } = await openNoun()
    const webhook = await webhooks.create({ url: receiver.url })
    await email('ada@example.com')
    await eventually(async () => expect(await log()).toMatchObject([{ state: 'failed' }]))
    const [failed] = await log()
    const again = await webhooks.replay(String(failed?.id))
    expect(again).toMatchObject({ state: 'pending', attempts: [], event_id: failed?.event_id })
    expect(again.id).not.toBe(failed?.id)
    await eventually(async () => expect(await log()).toMatchObject([{}, { state: 'delivered' }]))
    const [first, second] = receiver.received
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second?.text).toBe(first?.text)
    await webhooks.remove(webhook.id)
    await expect(webhooks.replay('whd_0')).rejects.toMatchObject({ code: 'not_found' })
    await expect(webhooks.replay(again.id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('are removed with their webhook, and a running request is aborted', async () => {
    const receiver = await openReceiver(() => undefined)
    const { webhooks, email, log, faults } = await openNoun()
    const { id } = await webhooks.create({ url: receiver.url })
    await Promise.all(Array.from({ length: 10 }, () => email('ada@example.com')))
    await eventually(() => expect(receiver.received).toHaveLength(4))
    await webhooks.remove(id)
    expect(await log()).toEqual([])
    await eventually(() => expect(receiver.mostOpen()).toBe(4))
    expect(faults).toEqual([])
  })
})
