import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { start } from '../../support/instance.ts'
import { eventually, openReceiver, type Received } from '../../webhooks/_receiver.ts'
import { mail, sendgridCaller, type SendGridErrors } from './_caller.ts'

const path = '/user/webhooks/event/settings'
interface Settings {
  id: string
  url: string
  public_key: string
}

function isSigned({ headers, text }: Received, publicKey: string): boolean {
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
  const timestamp = String(headers['x-twilio-email-event-webhook-timestamp'])
  const signature = String(headers['x-twilio-email-event-webhook-signature'])
  return verify('sha256', Buffer.from(timestamp + text), key, Buffer.from(signature, 'base64'))
}

describe('webhooks in the form of SendGrid', () => {
  test('post arrays of events, signed by ECDSA', async () => {
    const post = await start({ suppress: 'bounces' })
    const call = sendgridCaller(post)
    const { url, received } = await openReceiver()
    const all = ['processed', 'deferred', 'delivered', 'bounce', 'dropped', 'open', 'click', 'spam_report']
    const wanted = Object.fromEntries(all.map((name) => [name, true]))
    const made = await call<Settings>('POST', path, { url, enabled: true, unsubscribe: true, ...wanted })
    expect(made).toMatchObject({ status: 201, body: { url, enabled: true, unsubscribe: false, ...wanted } })
    const signed = await call<Settings>('GET', `${path}/signed/${made.body.id}`)
    expect(signed.body).toEqual({
      id: made.body.id,
      public_key: expect.stringMatching(/^MFkwEwYHKoZIzj0CAQ/),
    })
    await post.suppressions.add({ address: 'gone@example.com', reason: 'bounce' })
    const send = (email: string): Promise<{ headers: Headers }> =>
      call('POST', '/mail/send', {
        ...mail,
        personalizations: [{ to: [{ email }], custom_args: { order: '17', event: 'mine' } }],
        categories: ['welcome', 'first'],
        asm: { group_id: 7 },
      })
    const answer = await send('ada@example.com')
    const { id: own } = await post.inbox.waitFor({ subject: 'Hello' })
    await expect.poll(async () => (await post.emails.get(own)).last_event.status).toBe('delivered')
    const recipient = 'ada@example.com'
    await post.emails.addEvent(own, { status: 'opened', recipient })
    await post.emails.addEvent(own, { status: 'clicked', recipient, link: 'https://acme.test/' })
    await post.emails.addEvent(own, { status: 'complained', recipient })
    await send('bounce@simulator.localpost')
    await send('gone@example.com')
    await call('POST', '/mail/send', {
      ...mail,
      personalizations: [{ to: [{ email: 'gone@example.com' }], custom_args: { category: 'own' } }],
      mail_settings: { bypass_list_management: { enable: true } },
    })
    await eventually(() => expect(received).toHaveLength(11))
    const events = received.map((one) => {
      expect(isSigned(one, signed.body.public_key)).toBe(true)
      expect(isSigned({ ...one, text: `${one.text} ` }, signed.body.public_key)).toBe(false)
      const [event, ...more] = JSON.parse(one.text) as Record<string, unknown>[]
      expect(more).toEqual([])
      return event ?? {}
    })
    const first = events.filter(({ email }) => email === recipient)
    const messageId = answer.headers.get('x-message-id')
    expect(first.map(({ event }) => event).sort()).toEqual([
      'click',
      'delivered',
      'open',
      'processed',
      'spamreport',
    ])
    for (const event of first)
      expect(event).toMatchObject({
        order: '17',
        category: ['welcome', 'first'],
        asm_group_id: 7,
        timestamp: expect.any(Number) as number,
        sg_message_id: expect.stringMatching(new RegExp(`^${messageId}\\.`)) as string,
        sg_event_id: expect.stringMatching(/^[\w-]{43}$/) as string,
      })
    expect(new Set(events.map(({ sg_event_id }) => sg_event_id)).size).toBe(11)
    const named = (name: string): object | undefined => events.find(({ event }) => event === name)
    expect(named('click')).toMatchObject({ url: 'https://acme.test/', ip: '127.0.0.1' })
    expect(named('delivered')).toMatchObject({
      response: expect.stringContaining('250') as string,
      'smtp-id': expect.stringMatching(/^<.+>$/) as string,
    })
    expect(named('bounce')).toMatchObject({
      email: 'bounce@simulator.localpost',
      type: 'bounce',
      status: '5.1.1',
      reason: expect.stringContaining('5.1.1') as string,
    })
    expect(named('dropped')).toMatchObject({ email: 'gone@example.com', reason: 'Bounced Address' })
    // What the email lacks leaves its name to a custom argument.
    expect(events.filter(({ category }) => category === 'own').map(({ email }) => email)).toEqual([
      'gone@example.com',
      'gone@example.com',
    ])
    expect(JSON.stringify(events)).not.toContain('sendgrid:')
  })

  test('choose among its events: a suppressed address is dropped, and does not bounce', async () => {
    const post = await start()
    const { url, received } = await openReceiver()
    const webhook = await post.webhooks.create({ url, shape: 'sendgrid', shape_events: ['dropped'] })
    expect(webhook.events).toEqual(['email.failed', 'email.bounced'])
    for (const email of ['bounce@simulator.localpost', 'suppressionlist@simulator.localpost'])
      await sendgridCaller(post)('POST', '/mail/send', { ...mail, personalizations: [{ to: [{ email }] }] })
    await eventually(() => expect(received).toHaveLength(1))
    expect(JSON.parse(received[0]?.text ?? '')).toMatchObject([{ event: 'dropped' }])
  })

  test('are listed, found and removed, and only those of this form', async () => {
    const post = await start()
    const call = sendgridCaller(post)
    const url = 'http://127.0.0.1:9/a'
    const { id } = (await call<Settings>('POST', path, { url, bounce: true })).body
    await post.webhooks.create({ url: 'http://127.0.0.1:9/b' })
    const listed = await call<{ webhooks: Settings[] }>('GET', `${path}/all?include=account_status_change`)
    expect(listed.body).toMatchObject({ max_allowed: 20, webhooks: [{ id, url, bounce: true, open: false }] })
    const key = (await call<Settings>('PATCH', `${path}/signed/${id}`, { enabled: true })).body.public_key
    expect((await call<Settings>('GET', `${path}/${id}`)).body.public_key).toBe(key)
    expect((await call('DELETE', `${path}/${id}`)).status).toBe(204)
    for (const [method, of] of [
      ['GET', id],
      ['GET', `signed/${id}`],
      ['DELETE', id],
    ] as const)
      expect((await call(method, `${path}/${of}`)).status).toBe(404)
  })

  test('are changed: the address, the events, and whether they get any', async () => {
    const post = await start()
    const call = sendgridCaller(post)
    const url = 'http://127.0.0.1:9/a'
    const { id } = (await call<Settings>('POST', path, { url, bounce: true, open: true })).body
    const change = async (body: object): Promise<unknown> => {
      const answer = await call<Settings>('PATCH', `${path}/${id}`, body)
      expect(answer.status).toBe(200)
      const { public_key: _, ...listed } = (await call<Settings>('GET', `${path}/${id}`)).body
      expect(answer.body).toEqual(listed)
      return answer.body
    }
    expect(await change({ click: true, open: false })).toMatchObject({
      url,
      enabled: true,
      bounce: true,
      click: true,
      open: false,
    })
    expect(await change({ url: `${url}b`, enabled: false })).toMatchObject({ url: `${url}b`, enabled: false })
    expect((await post.webhooks.list()).items[0]).toMatchObject({
      disabled: true,
      shape_events: ['bounce', 'click'],
    })
    expect(await change({ enabled: true, group_unsubscribe: true })).toMatchObject({
      enabled: true,
      bounce: true,
    })
    await post.webhooks.create({ url: 'http://127.0.0.1:9/c' })
    for (const [body, field] of [
      [{ bounce: false, click: false }, null],
      [{ url: 'nowhere' }, 'url'],
      [{ url: 'http://127.0.0.1:9/c' }, null],
      [{ friendly_name: 'x' }, 'friendly_name'],
    ] as const) {
      const answer = await call<SendGridErrors>('PATCH', `${path}/${id}`, body)
      expect([answer.status, answer.body.errors[0]?.field]).toEqual([400, field])
    }
    expect(await call('PATCH', `${path}/none`, { click: true })).toMatchObject({ status: 404 })
    expect((await post.webhooks.list()).items[0]).toMatchObject({ shape_events: ['bounce', 'click'] })
  })

  test('keep both of two changes at once', async () => {
    const post = await start()
    const call = sendgridCaller(post)
    const made = await call<Settings>('POST', path, { url: 'http://127.0.0.1:9/a', bounce: true })
    const own = `${path}/${made.body.id}`
    await Promise.all(['open', 'click'].map((name) => call('PATCH', own, { [name]: true })))
    expect((await call('GET', own)).body).toMatchObject({ bounce: true, open: true, click: true })
  })

  test('show the events of one that was made with those of Localpost', async () => {
    const post = await start()
    const given = { shape: 'sendgrid', events: ['email.failed', 'email.opened'] } as const
    const { id } = await post.webhooks.create({
      url: 'http://127.0.0.1:9/a',
      ...given,
      events: [...given.events],
    })
    const call = sendgridCaller(post)
    const { body } = await call('GET', `${path}/${id}`)
    expect(body).toMatchObject({ dropped: true, open: true, bounce: false, processed: false, click: false })
    const changes = { url: 'http://127.0.0.1:9/b', enabled: false, unsubscribe: true }
    expect((await call('PATCH', `${path}/${id}`, changes)).status).toBe(200)
    const [changed] = (await post.webhooks.list()).items
    expect(changed).toMatchObject({ url: changes.url, disabled: true, events: given.events })
    expect(changed).not.toHaveProperty('shape_events')
  })

  test.each<[what: string, body: object, field: string | null]>([
    ['no event', { url: 'http://127.0.0.1:9/' }, null],
    ['that is off', { url: 'http://127.0.0.1:9/', open: true, enabled: false }, 'enabled'],
    ['a URL that is none', { url: 'nowhere', open: true }, 'url'],
    ['OAuth', { url: 'http://127.0.0.1:9/', open: true, oauth_client_id: 'x' }, 'oauth_client_id'],
  ])('are refused with %s', async (_, body, field) => {
    const post = await start()
    const answer = await sendgridCaller(post)<SendGridErrors>('POST', path, body)
    expect([answer.status, answer.body.errors[0]?.field]).toEqual([400, field])
    expect((await post.webhooks.list()).count).toBe(0)
  })
})
