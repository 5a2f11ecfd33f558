import { describe, expect, it } from 'vitest'
import { fixedClock } from '../../src/index.ts'
import type { AddedEvent } from '../../src/emails/types.ts'
import { open, refusalOf, shared, statusesOf, type Face } from '../decisions/helpers.ts'
import { serve } from '../decisions/servers.ts'

const ada = 'ada@example.com'
const link = 'https://acme.test/x'

/** An attachment that never arrives: its email stays in the outbox. */
async function waiting(): Promise<{ attachments: object[] }> {
  return { attachments: [{ filename: 'a', path: await serve(() => undefined) }] }
}

async function delivered(face: Face, over: Record<string, unknown> = {}): Promise<string> {
  const id = await face.send(over)
  await face.settled(id)
  return id
}

async function add(face: Face, id: string, event: Record<string, unknown>): Promise<Response> {
  return face.call('POST', `/dev/emails/${id}/events`, { body: { recipient: ada, ...event } })
}

async function added(face: Face, id: string, event: Record<string, unknown>): Promise<unknown> {
  const response = await add(face, id, event)
  const text = await response.text()
  expect(response.status, text).toBe(201)
  return JSON.parse(text)
}

describe('an event on request', () => {
  const face = shared()
  const at = { timestamp: expect.any(Number) as number }
  const by = { ip: '127.0.0.1', user_agent: 'Localpost' }

  it('is answered as the detail shows it, with all its details in last_event', async () => {
    const id = await delivered(face())
    const recipient = ada
    for (const [given, shown, last] of [
      [{ status: 'opened' }, { status: 'opened', ...at, ...by }, { status: 'opened', ...at }],
      [
        { status: 'clicked', link, ip: '::1', user_agent: 'Reader' },
        { status: 'clicked', ...at, ip: '::1', user_agent: 'Reader' },
        { status: 'clicked', ...at, link, ip: '::1', user_agent: 'Reader' },
      ],
      [{ status: 'complained' }, { status: 'complained', ...at }, { status: 'complained', ...at }],
    ] as const) {
      expect(await added(face(), id, given)).toEqual(shown)
      const detail = await face().detail(id)
      expect(detail.last_event).toEqual({ recipient, ...last })
      expect(detail.recipient_statuses[0]?.events.at(-1)).toEqual(shown)
    }
    expect(statusesOf(await face().detail(id))[ada]).toEqual([
      'sent',
      'delivered',
      'opened',
      'clicked',
      'complained',
    ])
  })

  it.each([
    [{}, { type: 'Permanent', subtype: 'General' }],
    [{ type: 'Transient' }, { type: 'Transient', subtype: 'General' }],
    [{ type: 'Undetermined' }, { type: 'Undetermined', subtype: 'Undetermined' }],
    [{ subtype: 'MailboxFull' }, { type: 'Transient', subtype: 'MailboxFull' }],
    [
      { type: 'Permanent', subtype: 'NoEmail' },
      { type: 'Permanent', subtype: 'NoEmail' },
    ],
  ])('settles pending recipients: a bounce with %j', async (given, bounce) => {
    const id = await face().send(await waiting())
    expect(await added(face(), id, { status: 'bounced', ...given })).toEqual({ status: 'bounced', ...at })
    expect((await face().detail(id)).last_event).toEqual({
      recipient: ada,
      status: 'bounced',
      ...at,
      ...bounce,
    })
    expect((await face().item(id)).recipient_statuses[0]).toMatchObject(bounce)
  })

  it('of a delivery has the members of a real one', async () => {
    const face = await open({ hostname: 'mta.acme.test' })
    const id = await face.send(await waiting())
    const { email_sent_timestamp: sent } = await face.detail(id)
    expect(await added(face, id, { status: 'delivery_delayed' })).toEqual({
      status: 'delivery_delayed',
      ...at,
    })
    const timestamp = Date.now() + 60_000
    expect(await added(face, id, { status: 'delivered', timestamp })).toEqual({
      status: 'delivered',
      timestamp,
    })
    expect((await face.detail(id)).last_event).toEqual({
      recipient: ada,
      status: 'delivered',
      timestamp,
      processing_time_millis: timestamp - sent,
      reporting_mta: 'mta.acme.test',
      smtp_response: expect.stringMatching(/^250 2\./),
    })
    // Later events are not older.
    expect(await added(face, id, { status: 'opened' })).toMatchObject({ timestamp })
  })

  it('is also available in the library', async () => {
    const id = await delivered(face())
    const { post } = face()
    const opened = await post.emails.addEvent(id, { recipient: ada.toUpperCase(), status: 'opened' })
    expect(opened).toEqual({ status: 'opened', ...at, ...by })
    await expect(post.emails.addEvent('em_x', { recipient: ada, status: 'opened' })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('is added in ascending order, also where ten come at the same time', async () => {
    const id = await delivered(face())
    await Promise.all(Array.from({ length: 10 }, () => added(face(), id, { status: 'opened' })))
    const { events } = (await face().detail(id)).recipient_statuses[0] ?? { events: [] }
    expect(events.map(({ status }) => status)).toEqual(['sent', 'delivered', ...Array(10).fill('opened')])
    const times = events.map(({ timestamp }) => timestamp)
    expect(times).toEqual([...times].sort((a, b) => a - b))
  })
})

describe('an event that contradicts earlier ones', () => {
  const face = shared()

  const conflicts: [happened: AddedEvent['status'][], status: AddedEvent['status'], says: string][] = [
    [[], 'opened', 'so far it is sent'],
    [[], 'clicked', 'so far it is sent'],
    [['delivery_delayed'], 'complained', 'so far it is delivery_delayed'],
    [['delivered'], 'delivered', 'delivered already'],
    [['delivered'], 'bounced', 'delivered already'],
    [['delivered', 'opened'], 'failed', 'delivered already'],
    [['delivered'], 'delivery_delayed', 'delivered already'],
    [['bounced'], 'delivered', 'bounced (Permanent, General)'],
    [['bounced'], 'bounced', 'bounced (Permanent, General)'],
    [['bounced'], 'opened', 'bounced (Permanent, General)'],
    [['failed'], 'delivered', 'failed'],
  ]
  it.each(conflicts)('is refused: after %j, %s', async (happened, status, says) => {
    const id = await face().send(await waiting())
    for (const before of happened) await added(face(), id, { status: before })
    const refused = await refusalOf(await add(face(), id, { status, link }))
    expect(refused).toMatchObject({ status: 409, name: 'state_conflict' })
    expect(refused.message).toContain(says)
    expect(statusesOf(await face().detail(id))[ada]).toEqual(['sent', ...happened])
  })

  it('does not include a second try after a temporary bounce', async () => {
    const id = await face().send(await waiting())
    for (const event of [
      { status: 'bounced', type: 'Transient' },
      { status: 'delivered' },
      { status: 'opened' },
    ])
      await added(face(), id, event)
  })

  it('includes a time before the last event', async () => {
    const id = await delivered(face())
    const last = (await face().detail(id)).last_event.timestamp
    for (const timestamp of [0, last - 1, Math.floor(last / 1000)]) {
      const refused = await refusalOf(await add(face(), id, { status: 'opened', timestamp }))
      expect(refused).toMatchObject({ status: 409, name: 'state_conflict' })
      expect(refused.message).toContain(`delivered at ${last}`)
    }
    await added(face(), id, { status: 'opened', timestamp: last })
  })

  it.each([
    [{ status: 'clicked' }, 'link'],
    [{ status: 'clicked', link: 'mailto:a@b.test' }, 'link'],
    [{ status: 'clicked', link: 'javascript:alert(1)' }, 'link'],
    [{ status: 'sent' }, 'status'],
    [{ status: 'Opened' }, 'status'],
    [{}, 'status'],
    [{ status: 'opened', recipient: 'bob@example.com' }, 'recipient'],
    [{ status: 'opened', recipient: undefined }, 'recipient'],
    [{ status: 'opened', timestamp: 'now' }, 'timestamp'],
    [{ status: 'opened', timestamp: -1 }, 'timestamp'],
    [{ status: 'opened', timestamp: 1.5 }, 'timestamp'],
    [{ status: 'opened', timestamp: Date.now() * 1000 }, 'timestamp'],
    [{ status: 'opened', ip: 'localhost' }, 'ip'],
    [{ status: 'opened', user_agent: 'a\r\nb' }, 'user_agent'],
    [{ status: 'opened', user_agent: 'a'.repeat(513) }, 'user_agent'],
    [{ status: 'bounced', type: 'permanent' }, 'type'],
    [{ status: 'bounced', type: 'Permanent', subtype: 'MailboxFull' }, 'subtype'],
  ])('is refused where it is invalid: %j', async (event, field) => {
    const id = await delivered(face())
    expect(await refusalOf(await add(face(), id, event))).toMatchObject({ status: 422, fields: [field] })
  })

  it('names the recipients where the given one is unknown, and the email where that is unknown', async () => {
    const id = await delivered(face(), { cc: 'cc@example.com' })
    const unknown = await refusalOf(await add(face(), id, { recipient: 'x@y.test', status: 'opened' }))
    expect(unknown.message).toContain('ada@example.com, cc@example.com')
    expect(await refusalOf(await add(face(), 'em_x', { status: 'opened' }))).toMatchObject({ status: 404 })
  })
})

describe('the outbox', () => {
  it('delivers to the other recipients, and adds nothing to the settled ones', async () => {
    const face = await open()
    let release = (): void => undefined
    const path = await serve((_, response) => void (release = () => response.end('x')))
    const id = await face.send({ cc: 'bob@example.com', attachments: [{ filename: 'a', path }] })
    await added(face, id, { status: 'bounced' })
    await expect
      .poll(() => (release(), face.post.inbox.get(id).then(({ size_bytes }) => size_bytes)))
      .toBeGreaterThan(0)
    expect(statusesOf(await face.settled(id))).toEqual({
      'ada@example.com': ['sent', 'bounced'],
      'bob@example.com': ['sent', 'delivered'],
    })
  })

  it('still writes the message where everybody was settled by hand, and then stops', async () => {
    const face = await open()
    let release = (): void => undefined
    const path = await serve((_, response) => void (release = () => response.end('x')))
    const id = await face.send({ attachments: [{ filename: 'a', path }] })
    await added(face, id, { status: 'delivered' })
    await expect
      .poll(() => (release(), face.post.inbox.get(id).then(({ size_bytes }) => size_bytes)))
      .toBeGreaterThan(0)
    expect((await face.mail(id)).attachments).toHaveLength(1)
    expect(statusesOf(await face.detail(id))[ada]).toEqual(['sent', 'delivered'])
    await face.post.close()
  })

  it('stops working on an email that waited for its next try', async () => {
    const face = await open({ clock: fixedClock('2026-01-01T00:00:00Z') })
    const recipient = 'softbounce@simulator.localpost'
    const id = await face.send({ to: recipient })
    await expect.poll(() => face.post.inbox.get(id).then(({ size_bytes }) => size_bytes)).toBeGreaterThan(0)
    await added(face, id, { recipient, status: 'delivered' })
    await face.post.clock.advance('1m')
    expect(statusesOf(await face.detail(id))[recipient]).toEqual(['sent', 'delivered'])
  })
})
