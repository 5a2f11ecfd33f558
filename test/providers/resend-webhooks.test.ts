import { describe, expect, test } from 'vitest'
import { Webhook } from 'standardwebhooks'
import { start } from '../support/instance.ts'
import { eventually, openReceiver } from '../webhooks/_receiver.ts'
import { containing, mail, resendCaller, type ResendError } from './_resend.ts'

interface Created {
  id: string
  signing_secret: string
}

describe('webhooks in the form of Resend', () => {
  test('have its body and the headers of Svix, for every event that it has', async () => {
    const post = await start()
    const call = resendCaller(post)
    const { url, received } = await openReceiver()
    const events = ['email.sent', 'email.delivered', 'email.opened', 'email.clicked', 'email.complained']
    const created = await call<Created>('POST', '/webhooks', { endpoint: url, events })
    expect(created.status).toBe(201)
    const tags = [{ name: 'order', value: '17' }]
    const { id } = (await call('POST', '/emails', { ...mail, tags })).body
    const { id: own } = await post.inbox.waitFor({ subject: 'Hello' })
    await expect.poll(async () => (await post.emails.get(own)).last_event.status).toBe('delivered')
    const recipient = mail.to
    await post.emails.addEvent(own, { status: 'opened', recipient })
    await post.emails.addEvent(own, { status: 'clicked', recipient, link: 'https://acme.test/' })
    await post.emails.addEvent(own, { status: 'complained', recipient })
    await eventually(() => expect(received).toHaveLength(5))
    const signer = new Webhook(created.body.signing_secret)
    const bodies = received.map(({ text, headers }) => {
      const header = (name: string): string => String(headers[`svix-${name}`])
      return signer.verify(text, {
        'webhook-id': header('id'),
        'webhook-timestamp': header('timestamp'),
        'webhook-signature': header('signature'),
      }) as { type: string; created_at: string; data: Record<string, unknown> }
    })
    expect(bodies.map(({ type }) => type).sort()).toEqual([...events].sort())
    for (const { data, created_at } of bodies) {
      expect(new Date(created_at).toISOString()).toBe(created_at)
      expect(data).toMatchObject({
        email_id: id,
        from: mail.from,
        to: [recipient],
        subject: 'Hello',
        tags: { order: '17' },
        message_id: containing('@acme.test>'),
      })
    }
    const clicked = bodies.find(({ type }) => type === 'email.clicked')
    expect(clicked?.data['click']).toMatchObject({ link: 'https://acme.test/', ipAddress: '127.0.0.1' })
    const { items } = await post.webhooks.deliveries()
    expect(items.every(({ body }) => body.includes('"created_at"'))).toBe(true)
    await post.webhooks.replay(items[0]?.id ?? '')
    await eventually(() => expect(received).toHaveLength(6))
    expect(received[5]?.text).toBe(items[0]?.body)
  })

  test('choose among its events: a suppressed address is not a bounced one', async () => {
    const post = await start()
    const call = resendCaller(post)
    const { url, received } = await openReceiver()
    const webhook = await post.webhooks.create({ url, shape: 'resend', shape_events: ['email.suppressed'] })
    expect(webhook.events).toEqual(['email.bounced'])
    for (const to of ['bounced@resend.dev', 'suppressed@resend.dev'])
      await call('POST', '/emails', { ...mail, to })
    await eventually(() => expect(received).toHaveLength(1))
    const { type, data } = JSON.parse(received[0]?.text ?? '') as { type: string; data: object }
    expect([type, data]).toEqual([
      'email.suppressed',
      expect.objectContaining({ to: ['suppressed@resend.dev'] }),
    ])
    const listed = await call<{ data: { id: string; created_at: string }[] }>('GET', '/webhooks')
    expect(listed.body.data).toMatchObject([{ id: webhook.id, endpoint: url, events: ['email.suppressed'] }])
    expect(Math.abs(Date.parse(listed.body.data[0]?.created_at ?? '') - Date.now())).toBeLessThan(60_000)
    await post.webhooks.create({ url: `${url}/own` })
    expect((await call<{ data: object[] }>('GET', '/webhooks')).body.data).toHaveLength(1)
    expect((await call('DELETE', `/webhooks/${webhook.id}`)).body).toMatchObject({ deleted: true })
    expect((await call('GET', `/webhooks/${webhook.id}`)).status).toBe(404)
  })

  test('are changed: where they go, which events they get, and whether they get any', async () => {
    const post = await start()
    const call = resendCaller(post)
    const [first, second] = [await openReceiver(), await openReceiver()]
    const events = ['email.sent']
    const { id } = (await call<Created>('POST', '/webhooks', { endpoint: first.url, events })).body
    const changed = { endpoint: second.url, events: ['email.bounced'], webhook_id: id }
    expect(await call('PATCH', `/webhooks/${id}`, changed)).toMatchObject({
      status: 200,
      body: { object: 'webhook', id },
    })
    const bounce = { ...mail, to: 'bounced@resend.dev' }
    await call('POST', '/emails', bounce)
    await eventually(() => expect(second.received).toHaveLength(1))
    expect(JSON.parse(second.received[0]?.text ?? '')).toMatchObject({ type: 'email.bounced' })
    await call('PATCH', `/webhooks/${id}`, { status: 'disabled' })
    expect((await call<object>('GET', `/webhooks/${id}`)).body).toMatchObject({
      endpoint: second.url,
      events: ['email.bounced'],
      status: 'disabled',
    })
    await call('POST', '/emails', bounce)
    await expect.poll(async () => (await post.inbox.list({ query: 'status:bounced' })).count).toBe(2)
    await call('PATCH', `/webhooks/${id}`, { status: 'enabled' })
    await call('POST', '/emails', bounce)
    await eventually(() => expect(second.received).toHaveLength(2))
    expect(first.received).toHaveLength(0)
    expect((await post.webhooks.deliveries()).count).toBe(2)
    const other = await post.webhooks.create({ url: first.url, shape: 'resend' })
    for (const [body, status, words] of [
      [{ endpoint: other.url }, 409, 'already'],
      [{ endpoint: 'http://169.254.169.254/' }, 422, '`endpoint`'],
      [{ events: ['contact.created'] }, 422, '`events[0]`'],
      [{ webhook_id: other.id }, 422, '`webhook_id`'],
    ] as const) {
      const refused = await call<ResendError>('PATCH', `/webhooks/${id}`, body)
      expect([refused.status, refused.body.message]).toEqual([status, containing(words)])
    }
    expect((await call('PATCH', '/webhooks/wh_none', { status: 'disabled' })).status).toBe(404)
  })

  test('are refused with events that there are not, and without a shape', async () => {
    const post = await start()
    const events = ['email.sent', 'contact.created']
    const refused = await resendCaller(post)<ResendError>('POST', '/webhooks', {
      endpoint: 'http://127.0.0.1:9/',
      events,
    })
    expect([refused.status, refused.body.message]).toEqual([422, containing('`events[1]`')])
    const url = 'http://127.0.0.1:9/'
    for (const wrong of [
      { url, shape: 'nobody' },
      { url, shape_events: ['email.sent'] },
      { url, shape: 'resend', events: ['email.sent' as const], shape_events: ['email.sent'] },
    ])
      await expect(post.webhooks.create(wrong)).rejects.toMatchObject({ code: 'validation_error' })
    expect((await post.webhooks.list()).count).toBe(0)
  })
})
