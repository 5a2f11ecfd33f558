import { describe, expect, it } from 'vitest'
import { openNoun } from './_noun.ts'
import { eventually, openReceiver } from './_receiver.ts'

describe('a webhook that is replaced', () => {
  it('keeps its id and secret, and what waits for it goes to the new URL', async () => {
    const { webhooks, email } = await openNoun({ retryDelaysMs: [1] })
    const old = await openReceiver((response) => void response.writeHead(500).end())
    const next = await openReceiver()
    const made = await webhooks.create({ url: old.url, events: ['email.sent'] })
    await email('a@b.test')
    await eventually(() => expect(old.received.length).toBeGreaterThan(0))
    await webhooks.idle()
    const changed = { url: next.url, events: ['email.*' as const], headers: { 'X-Own': 'yes' } }
    const replaced = await webhooks.replace(made.id, changed)
    expect(replaced).toEqual({ ...changed, id: made.id, secret: made.secret })
    expect((await webhooks.list()).items).toEqual([replaced])
    await email('c@d.test')
    await eventually(() => expect(next.received.length).toBeGreaterThan(0))
    expect(next.received[0]?.headers['x-own']).toBe('yes')
  })

  it('is the same after a restart, and for another instance', async () => {
    const { webhooks, store } = await openNoun()
    const { id } = await webhooks.create({ url: 'http://127.0.0.1:9/a' })
    const replaced = await webhooks.replace(id, { url: 'http://127.0.0.1:9/b', events: ['email.sent'] })
    const again = await openNoun({ store })
    expect((await again.webhooks.list()).items).toEqual([replaced])
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
    ] as const)
      await expect(webhooks.replace(which, { url })).rejects.toMatchObject({ code })
    await webhooks.replace(id, { url: 'http://127.0.0.1:9/a' })
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
