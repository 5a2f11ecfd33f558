import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { WebhookDelivery } from '../../src/webhooks/types.ts'
import { eventually } from '../webhooks/_receiver.ts'
import { describeBoth } from './_face.ts'
import { goodMail } from '../support/mail.ts'

interface Log {
  deliveries: WebhookDelivery[]
  count: number
  cursor: string | null
}

async function receiverUrl(): Promise<string> {
  const server = createServer((_, response) => response.end('taken'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

describeBoth('webhooks over HTTP', (open) => {
  test('are added, listed and removed', async () => {
    const { call, post } = await open({ webhooks: [{ url: 'http://127.0.0.1:9/' }] })
    const made = await call('POST', '/dev/webhooks', {
      body: { url: await receiverUrl(), events: ['email.*'] },
    })
    expect(made.status).toBe(201)
    const webhook = (await made.json()) as { id: string }
    expect(Object.keys(webhook).sort()).toEqual(['events', 'id', 'secret', 'url'])
    const listed = (await (await call('GET', '/dev/webhooks')).json()) as { webhooks: { id: string }[] }
    expect(listed).toMatchObject({
      webhooks: [{ url: 'http://127.0.0.1:9/' }, webhook],
      count: 2,
      cursor: null,
    })
    expect((await post.webhooks.list()).items).toEqual(listed.webhooks)
    const duplicate = await call('POST', '/dev/webhooks', { body: { url: 'http://127.0.0.1:9' } })
    expect([duplicate.status, await duplicate.json()]).toMatchObject([409, { name: 'webhook_exists' }])
    const removed = await call('DELETE', `/dev/webhooks/${webhook.id}`)
    expect(await removed.json()).toEqual({ deleted: 1 })
    expect((await call('DELETE', `/dev/webhooks/${webhook.id}`)).status).toBe(404)
    expect((await call('DELETE', `/dev/webhooks/${listed.webhooks[0]?.id}`)).status).toBe(409)
  })

  test('with an unknown event are refused, and the error lists the known ones', async () => {
    const { call } = await open()
    const refused = await call('POST', '/dev/webhooks', {
      body: { url: 'http://x.test', events: ['email.eaten'] },
    })
    expect(refused.status).toBe(422)
    expect(await refused.json()).toMatchObject({
      name: 'validation_error',
      errors: [{ field: 'events[0]', message: expect.stringContaining('"email.delivered"') as string }],
    })
  })

  test('have a log of deliveries, in pages, that can be replayed', async () => {
    const { call } = await open()
    await call('POST', '/dev/webhooks', { body: { url: await receiverUrl() } })
    await call('POST', '/v1/emails', { body: goodMail })
    const log = async (query = ''): Promise<Log> =>
      (await (await call('GET', `/dev/webhooks/deliveries${query}`)).json()) as Log
    await eventually(async () =>
      expect(await log()).toMatchObject({
        deliveries: [
          {
            type: 'email.delivered',
            state: 'delivered',
            recipient: 'ada@example.com',
            subject: goodMail.subject,
            domain_name: null,
          },
          { type: 'email.sent', state: 'delivered', attempts: [{ status: 200, response: 'taken' }] },
        ],
        count: 2,
        cursor: null,
      }),
    )
    const first = await log('?limit=1')
    expect(first).toMatchObject({ deliveries: [{ type: 'email.delivered' }], count: 2 })
    expect(await log(`?limit=1&cursor=${first.cursor}`)).toMatchObject({
      deliveries: [{ type: 'email.sent' }],
      cursor: null,
    })
    expect((await call('GET', '/dev/webhooks/deliveries?cursor=nonsense')).status).toBe(422)
    const replayed = await call('POST', `/dev/webhooks/deliveries/${first.deliveries[0]?.id}/replay`)
    expect(replayed.status).toBe(201)
    expect(await replayed.json()).toMatchObject({ event_id: first.deliveries[0]?.event_id, state: 'pending' })
    await eventually(async () =>
      expect(await log('?limit=1')).toMatchObject({ deliveries: [{ state: 'delivered' }] }),
    )
    expect((await call('POST', '/dev/webhooks/deliveries/whd_0/replay')).status).toBe(404)
  })

  test('have a log of which the finished deliveries can be removed, while the others stay', async () => {
    const { call } = await open()
    const receiver = await receiverUrl()
    await call('POST', '/dev/webhooks', { body: { url: receiver } })
    await call('POST', '/dev/webhooks', { body: { url: 'http://127.0.0.1:9/' } })
    await call('POST', '/v1/emails', { body: goodMail })
    const log = async (): Promise<Log> =>
      (await (await call('GET', '/dev/webhooks/deliveries')).json()) as Log
    const states = async (): Promise<string[]> => (await log()).deliveries.map(({ state }) => state).sort()
    await eventually(async () =>
      expect(await states()).toEqual(['delivered', 'delivered', 'pending', 'pending']),
    )
    const removed = await call('DELETE', '/dev/webhooks/deliveries')
    expect([removed.status, await removed.json()]).toEqual([200, { deleted: 2 }])
    expect(await states()).toEqual(['pending', 'pending'])
    expect(await (await call('DELETE', '/dev/webhooks/deliveries')).json()).toEqual({ deleted: 0 })
    expect(await (await call('GET', '/dev/webhooks')).json()).toMatchObject({ count: 2 })
  })

  test('are removed by a reset, unless they are kept', async () => {
    const { call } = await open()
    await call('POST', '/dev/webhooks', { body: { url: await receiverUrl() } })
    await call('POST', '/dev/reset', { body: { keep: ['webhooks'] } })
    expect(await (await call('GET', '/dev/webhooks')).json()).toMatchObject({ count: 1 })
    await call('POST', '/dev/reset')
    expect(await (await call('GET', '/dev/webhooks')).json()).toMatchObject({ count: 0 })
  })
})
