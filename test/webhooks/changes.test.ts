import { describe, expect, it } from 'vitest'
import { openNoun } from './_noun.ts'
import { eventually, openReceiver } from './_receiver.ts'

describe('a webhook that is changed', () => {
  it('keeps its id and secret, and what waits for it goes to the new URL', async () => {
    const { webhooks, email } = await openNoun({ retryDelaysMs: [1000] })
    const old = await openReceiver((response) => void response.writeHead(500).end())
    const next = await openReceiver()
    const made = await webhooks.create({ url: old.url, events: ['email.sent'] })
    await email('a@b.test')
    await eventually(() => expect(old.received).toHaveLength(1))
    const changed = await webhooks.update(made.id, { url: next.url, headers: { 'X-Own': 'yes' } })
    expect(changed).toEqual({ ...made, url: next.url, headers: { 'X-Own': 'yes' } })
    expect((await webhooks.list()).items).toEqual([changed])
    await email('c@d.test')
    await eventually(() => expect(next.received).toHaveLength(2))
    expect(next.received.map(({ headers }) => headers['x-own'])).toEqual(['yes', 'yes'])
    expect(await webhooks.update(made.id, { headers: {} })).toEqual({ ...made, url: next.url })
  })

  it('gets nothing while it is disabled, and what waits after that', async () => {
    const { webhooks, email } = await openNoun({ retryDelaysMs: [] })
    const { url, received } = await openReceiver((response) => void response.writeHead(500).end())
    const { id } = await webhooks.create({ url, events: ['email.sent'] })
    await email('a@b.test')
    await eventually(() => expect(received).toHaveLength(1))
    await webhooks.update(id, { enabled: false })
    await webhooks.idle()
    const { length } = received
    const [delivery] = (await webhooks.deliveries()).items
    await webhooks.replay(delivery?.id ?? '')
    await webhooks.idle()
    expect(received).toHaveLength(length)
    await webhooks.update(id, { enabled: true })
    await eventually(() => expect(received.length).toBeGreaterThan(length))
  })

  it('is the same after a restart', async () => {
    const { webhooks, store } = await openNoun()
    const { id } = await webhooks.create({ url: 'http://127.0.0.1:9/a' })
    const changed = await webhooks.update(id, { url: 'http://127.0.0.1:9/b' })
    const again = await openNoun({ store })
    expect((await again.webhooks.list()).items).toEqual([changed])
  })

  it('has to exist, outside of the options, with a URL of its own', async () => {
    const { webhooks } = await openNoun({ given: [{ url: 'http://127.0.0.1:9/given' }] })
    const { id } = await webhooks.create({ url: 'http://127.0.0.1:9/a' })
    const [given] = (await webhooks.list()).items
    for (const [which, url, code] of [
      ['wh_none', 'http://127.0.0.1:9/b', 'not_found'],
      [given?.id ?? '', 'http://127.0.0.1:9/b', 'state_conflict'],
      [id, 'http://127.0.0.1:9/given', 'webhook_exists'],
      [id, 'http://169.254.169.254/', 'validation_error'],
      [id, 'nowhere', 'validation_error'],
    ] as const)
      await expect(webhooks.update(which, { url })).rejects.toMatchObject({ code })
    await webhooks.update(id, { url: 'http://127.0.0.1:9/a' })
    await expect(webhooks.update(id, { shape_events: ['Open'] })).rejects.toMatchObject({
      code: 'validation_error',
    })
  })
})

describe('headers of a webhook', () => {
  it.each<[Record<string, string>]>([
    [{ Host: 'x' }],
    [{ 'Content-Length': '1' }],
    [{ 'Transfer-Encoding': 'chunked' }],
    [{ 'webhook-signature': 'x' }],
    [{ 'x y': 'z' }],
    [{ 'x-a': 'b\r\nc: d' }],
    [{ 'x-a': 'x'.repeat(4001) }],
    [Object.fromEntries(Array.from({ length: 31 }, (_, i) => [`x-${i}`, 'y']))],
  ])('are refused: %j', async (headers) => {
    const { webhooks } = await openNoun()
    await expect(webhooks.create({ url: 'http://127.0.0.1:9/', headers })).rejects.toMatchObject({
      code: 'validation_error',
      errors: [{ field: expect.stringMatching(/^headers/) as string }],
    })
    expect((await webhooks.list()).count).toBe(0)
  })
})
