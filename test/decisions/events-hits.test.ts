import { describe, expect, it } from 'vitest'
import type { EmailDetail } from '../../src/emails/types.ts'
import { open, openOverSocket, pause, refusalOf, shared, statusesOf, type Face } from './helpers.ts'
import { lastingPlace } from '../support/adapters.ts'
import { openMailServer } from './servers.ts'

const link = 'https://acme.test/page?a=1&b=2#c'
const html = '<html><body><p><a href="https://acme.test/page?a=1&amp;b=2#c">x</a></p></body></html>'
const agent = { 'user-agent': 'Mail Reader/1.0' }

/** Registers acme.test with tracking. */
async function track(face: Face, opens = true, clicks = true): Promise<void> {
  const { id } = await face.create<{ id: string }>('/v1/domains', { name: 'acme.test' })
  await face.create(`/dev/domains/${id}/verify`, { status: 'SUCCESS' })
  const body = { open_tracking_enabled: opens, click_tracking_enabled: clicks }
  expect((await face.call('PATCH', `/dev/domains/${id}`, { body })).status).toBe(200)
}

/** The addresses of Localpost in the copy of a recipient. */
async function addresses(
  face: Face,
  id: string,
  recipient: string,
): Promise<{ pixel?: string; link?: string }> {
  const response = await face.call('GET', `/dev/inbox/${id}/html?recipient=${encodeURIComponent(recipient)}`)
  const copy = await response.text()
  return {
    pixel: /src="([^"]*\/t\/o\/[^"]*)"/.exec(copy)?.[1],
    link: /href="([^"]*\/t\/c\/[^"]*)"/.exec(copy)?.[1],
  }
}

/** A request as a mail reader sends it: no key, no Origin. */
async function hit(face: Face, url: string | undefined): Promise<Response> {
  const request = new Request(url ?? '', { headers: agent, redirect: 'manual' })
  return face.post.url === null ? face.post.fetch(request) : fetch(request)
}

describe('real hits', () => {
  it('events.hits: loading the pixel opens and following a link clicks, for the recipient of that copy', async () => {
    const face = await openOverSocket()
    await track(face)
    const id = await face.send({ to: 'ada@x.test, bob@x.test', html })
    await face.settled(id)
    const ada = await addresses(face, id, 'ada@x.test')
    const bob = await addresses(face, id, 'bob@x.test')
    expect(ada.pixel).toMatch(new RegExp(`^${face.post.url}/t/o/`))
    const image = await hit(face, ada.pixel)
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/gif'])
    const click = await hit(face, bob.link)
    expect([click.status, click.headers.get('location')]).toEqual([302, link])
    const email = await face.detail(id)
    expect(statusesOf(email)).toEqual({
      'ada@x.test': ['sent', 'delivered', 'opened'],
      'bob@x.test': ['sent', 'delivered', 'clicked'],
    })
    const client = { ip: '127.0.0.1', user_agent: 'Mail Reader/1.0' }
    for (const { events } of email.recipient_statuses) expect(events.at(-1)).toMatchObject(client)
    expect(email.last_event).toMatchObject({ recipient: 'bob@x.test', status: 'clicked', link, ...client })
  })

  it('events.hits: without tracking, mail has no address of Localpost', async () => {
    const face = await open()
    await track(face, false, false)
    const id = await face.send({ html })
    await face.settled(id)
    expect(await addresses(face, id, 'ada@example.com')).toEqual({})
    expect(await face.raw(id)).not.toContain('/t/')
  })

  it('events.hits: no opening or click is recorded without a hit, and viewing the mail here is none', async () => {
    const face = await open()
    await track(face)
    const id = await face.send({ html })
    await face.settled(id)
    for (const path of ['', '/html', '/raw']) {
      expect((await face.call('GET', `/dev/inbox/${id}${path}`)).status).toBe(200)
    }
    await face.get('/dev/inbox')
    await pause(100)
    expect(statusesOf(await face.detail(id))).toEqual({ 'ada@example.com': ['sent', 'delivered'] })
  })

  it('sending.stored-body: tracking is in the message, and not in the detail', async () => {
    const face = await open()
    await track(face)
    const id = await face.send({ html })
    await face.settled(id)
    const { pixel, link: rewritten } = await addresses(face, id, 'ada@example.com')
    expect([pixel, rewritten].every((address) => address?.includes('/t/'))).toBe(true)
    expect((await face.detail(id)).html).toBe(html)
  })
})

describe('many hits', () => {
  it('events.many-hits: 600 of one recipient are 500 events, also after a close', async () => {
    const place = lastingPlace()
    const face = await openOverSocket(place)
    await track(face)
    const id = await face.send({ to: 'ada@x.test', html })
    await face.settled(id)
    const { pixel } = await addresses(face, id, 'ada@x.test')
    for (let n = 0; n < 600; n += 100)
      for (const { status } of await Promise.all(Array.from({ length: 100 }, () => hit(face, pixel))))
        expect(status).toBe(200)
    await face.post.close()
    const again = await open(place)
    expect(statusesOf(await again.detail(id))['ada@x.test']).toEqual([
      'sent',
      'delivered',
      ...Array.from({ length: 498 }, () => 'opened'),
    ])
  })
})

describe('on request', () => {
  const face = shared()
  const ask = (id: string, body: object): Promise<Response> =>
    face().call('POST', `/dev/emails/${id}/events`, { body: { recipient: 'ada@example.com', ...body } })
  const delivered = async (to = 'ada@example.com'): Promise<string> => {
    const id = await face().send({ to })
    await face().settled(id)
    return id
  }
  const statuses = async (id: string): Promise<string[]> =>
    statusesOf(await face().detail(id))['ada@example.com'] ?? []

  it('events.hits: POST /dev/emails/{id}/events adds an opening, a click or a complaint', async () => {
    const id = await delivered()
    const timestamp = Date.now() + 1000
    for (const body of [
      { status: 'opened', timestamp, ip: '203.0.113.1', user_agent: 'UA' },
      { status: 'clicked', timestamp: timestamp + 1, link },
      { status: 'complained', timestamp: timestamp + 2 },
    ]) {
      expect((await ask(id, body)).status).toBe(201)
    }
    const email = await face().detail(id)
    expect(await statuses(id)).toEqual(['sent', 'delivered', 'opened', 'clicked', 'complained'])
    expect(email.recipient_statuses[0]?.events[2]).toEqual({
      status: 'opened',
      timestamp,
      ip: '203.0.113.1',
      user_agent: 'UA',
    })
    expect((await refusalOf(await ask(id, { status: 'clicked' }))).fields).toEqual(['link'])
  })

  it('events.statuses: the other statuses appear on request', async () => {
    const paused = await open({ retryDelaysMs: [60_000] })
    const id = await paused.send({ to: 'softbounce@simulator.localpost' })
    const recipient = 'softbounce@simulator.localpost'
    for (const status of ['delivery_delayed', 'failed']) {
      const body = { recipient, status }
      expect((await paused.call('POST', `/dev/emails/${id}/events`, { body })).status).toBe(201)
    }
    expect(statusesOf(await paused.detail(id))[recipient]).toEqual(['sent', 'delivery_delayed', 'failed'])
  })

  it('events.bounce-types: every pair can be requested, and no other', async () => {
    const pairs: Record<string, string[]> = {
      Permanent: ['General', 'NoEmail', 'Suppressed', 'OnAccountSuppressionList'],
      Transient: ['General', 'MailboxFull', 'MessageTooLarge', 'ContentRejected', 'AttachmentRejected'],
      Undetermined: ['Undetermined'],
    }
    const own = await open({ retryDelaysMs: [60_000] })
    const recipient = 'softbounce@simulator.localpost'
    const bounce = async (type: string, subtype: string): Promise<EmailDetail | number> => {
      const id = await own.send({ to: recipient })
      const body = { recipient, status: 'bounced', type, subtype }
      const { status } = await own.call('POST', `/dev/emails/${id}/events`, { body })
      return status === 201 ? own.detail(id) : status
    }
    for (const [type, subtypes] of Object.entries(pairs)) {
      for (const subtype of subtypes) {
        expect(await bounce(type, subtype)).toMatchObject({
          last_event: { status: 'bounced', type, subtype },
        })
      }
    }
    expect(await bounce('Permanent', 'MailboxFull')).toBe(422)
    expect(await bounce('Hard', 'General')).toBe(422)
  })

  it('events.order: an event that contradicts earlier ones is 409', async () => {
    const id = await delivered()
    for (const body of [
      { status: 'bounced' },
      { status: 'delivered' },
      { status: 'failed' },
      { status: 'opened', timestamp: 1000 },
    ]) {
      expect(await refusalOf(await ask(id, body))).toMatchObject({ status: 409, name: 'state_conflict' })
    }
    expect(await statuses(id)).toEqual(['sent', 'delivered'])
  })
})

describe('after a permanent bounce', () => {
  it('events.after-bounce: no event follows automatically, and the delivery is not tried again', async () => {
    const server = await openMailServer(() => '550 5.1.1 No such user')
    const face = await open({ relay: server.url, relayAll: true })
    const email = await face.settled(await face.send({ to: 'nobody@x.test' }))
    await pause(150)
    expect(await face.detail(email.id)).toEqual(email)
    expect(email.last_event.status).toBe('bounced')
    expect(server.asked).toHaveLength(1)
  })

  it('events.after-bounce: hits are ignored, and requested events are 409', async () => {
    const face = await open()
    await track(face)
    const recipient = 'bounce@simulator.localpost'
    const id = await face.send({ to: recipient, html })
    await face.settled(id)
    const { pixel, link: click } = await addresses(face, id, recipient)
    expect((await hit(face, pixel)).status).toBe(200)
    expect((await hit(face, click)).headers.get('location')).toBe(link)
    for (const status of [
      'delivered',
      'opened',
      'clicked',
      'bounced',
      'complained',
      'failed',
      'delivery_delayed',
    ]) {
      const response = await face.call('POST', `/dev/emails/${id}/events`, {
        body: { recipient, status, link },
      })
      expect(await refusalOf(response), status).toMatchObject({ status: 409, name: 'state_conflict' })
    }
    expect(statusesOf(await face.detail(id))).toEqual({ [recipient]: ['sent', 'bounced'] })
  })
})
