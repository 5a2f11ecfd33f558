import { describe, expect, it } from 'vitest'
import { lastingPlace, notOn } from '../support/adapters.ts'
import { start } from '../support/instance.ts'
import { isLong } from '../support/long.ts'
import { eventually, openReceiver, type Receiver } from './_receiver.ts'
import { countWait } from '../support/own-time.ts'

const ofOneProcess = notOn('PostgreSQL', 'another instance may have the webhook, so its deliveries stay')

describe('an instance', () => {
  const mail = { from: 'Acme <hi@acme.test>', to: 'ada@example.com', subject: 'Hi', text: 'Hello' }

  it('sends events of an email and of a domain to a webhook of its options', async () => {
    const receiver = await openReceiver()
    const post = await start({ webhooks: [{ url: receiver.url, events: ['email.*', 'domain.*'] }] })
    const { id } = await post.emails.send(mail)
    const domain = await post.domains.create({ name: 'acme.com' })
    await post.domains.verify(domain.id, { status: 'SUCCESS' })
    await eventually(() => expect(receiver.received).toHaveLength(5))
    expect(receiver.received.flatMap((one) => (idOf(one) === id ? [one.payload.type] : []))).toEqual([
      'email.sent',
      'email.delivered',
    ])
    expect(
      receiver.received.flatMap(({ payload: { type, data } }) => ('name' in data ? [type, data.status] : [])),
    ).toEqual(['domain.created', 'NOT_STARTED', 'domain.updated', 'SUCCESS', 'domain.verified', 'SUCCESS'])
  })

  it('sends many emails to a webhook, each event once and in order', async () => {
    const count = isLong ? 1000 : 250
    const receiver = await openReceiver()
    const post = await start({})
    await post.webhooks.create({ url: receiver.url })
    const sent = await Promise.all(Array.from({ length: count }, () => post.emails.send(mail)))
    await eventually(() => expect(receiver.received.length).toBeGreaterThanOrEqual(2 * count), 60_000)
    const byEmail = new Map(sent.map(({ id }): [string, string[]] => [id, []]))
    for (const one of receiver.received) byEmail.get(idOf(one))?.push(one.payload.type)
    expect(byEmail.size).toBe(count)
    for (const types of byEmail.values()) expect(types).toEqual(['email.sent', 'email.delivered'])
  }, 90_000)

  it('never reaches its own ports while it listens, whatever is allowed', async () => {
    const post = await start({ allowOutgoing: ['127.0.0.1', 'localhost'], webhookRetryDelaysMs: [] })
    const { port } = await post.listen()
    // Names that lead here are refused at once, and addresses that other names lead to when they are looked up.
    for (const url of [
      `http://localhost:${port}/`,
      `http://127.0.0.1:${port}/v1/emails`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      `http://127.0.0.1:${post.smtp.port}/`,
    ])
      await expect(post.webhooks.create({ url })).rejects.toMatchObject({
        code: 'validation_error',
        errors: [{ field: 'url', message: expect.stringContaining('is this Localpost itself at port') }],
      })
    const receiver = await openReceiver()
    await post.webhooks.create({ url: receiver.url, events: ['email.sent'] })
    await post.emails.send(mail)
    // The instance got no request: the request log has only the send of the library.
    expect((await post.requests.list()).items).toMatchObject([{ source: 'library' }])
    await eventually(() => expect(receiver.received).toHaveLength(1))
  })

  it('sends pending deliveries after a restart', async () => {
    const place = lastingPlace()
    let isUp = false
    const receiver = await openReceiver((response) => {
      if (isUp) response.end()
    })
    const options = { ...place, webhooks: [{ url: receiver.url }] }
    const post = await start(options)
    const stored = await post.webhooks.create({ url: `${receiver.url}/stored`, events: ['email.delivered'] })
    const { id } = await post.emails.send(mail)
    await post.inbox.waitFor({ to: 'ada@example.com' })
    await eventually(() => expect(receiver.received.length).toBeGreaterThanOrEqual(2))
    const waited = countWait()
    await post.close()
    // An attempt may take longer than this: closing does not wait for its answer.
    expect(waited()).toBeLessThan(8000)
    receiver.received.length = 0
    isUp = true
    const again = await start(options)
    expect((await again.webhooks.list()).items[1]).toEqual(stored)
    await eventually(() => expect(receiver.received).toHaveLength(3))
    const toOption = receiver.received.filter(({ path }) => path === '/hooks')
    expect(toOption.map(({ payload }) => payload.type)).toEqual(['email.sent', 'email.delivered'])
    expect(new Set(receiver.received.map(idOf))).toEqual(new Set([id]))
  })

  it('drops at a start the deliveries of a webhook that is no longer configured', ofOneProcess, async () => {
    const place = lastingPlace()
    const receiver = await openReceiver(() => undefined)
    const post = await start({ ...place, webhooks: [{ url: receiver.url }] })
    await post.emails.send(mail)
    await post.close()
    const again = await start({ ...place, webhooks: [{ url: `${receiver.url}/other` }] })
    expect((await again.webhooks.deliveries()).count).toBe(0)
  })
})

const idOf = ({ payload: { data } }: Receiver['received'][number]): string =>
  'email_id' in data ? data.email_id : ''
