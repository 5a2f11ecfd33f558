import { describe, expect, it } from 'vitest'
import type { Clock } from '../../src/core/clock.ts'
import type { EmailDetail } from '../../src/emails/types.ts'
import { open, pause, shared, statusesOf, type Face } from './helpers.ts'
import { openMailServer, serve } from './servers.ts'

const html = '<p><a href="https://acme.test/x">x</a></p>'

/** Sends to the server of a relay, one recipient for each name, and waits for all outcomes. */
async function relayed(face: Face, ...names: string[]): Promise<EmailDetail> {
  return face.settled(await face.send({ to: names.map((name) => `${name}@x.test`) }))
}

describe('which events there are', () => {
  const face = shared()

  it('events.statuses: ordinary mail is only sent, delivered and, where it is refused, bounced', async () => {
    const id = await face().send({ to: 'ada@x.test, bounce@simulator.localpost', html })
    const submitted = await face().submit({ from: 'hi@acme.test', to: 'ada@x.test', html })
    await face().settled(id)
    await pause(100)
    expect(statusesOf(await face().detail(id))).toEqual({
      'ada@x.test': ['sent', 'delivered'],
      'bounce@simulator.localpost': ['sent', 'bounced'],
    })
    expect(statusesOf(await face().detail(submitted))).toEqual({ 'ada@x.test': ['sent', 'delivered'] })
  })

  it('events.statuses: delivery_delayed and complained appear on request, failed where something failed', async () => {
    const simulated = await face().send({ to: 'delayed@simulator.localpost, complaint@simulator.localpost' })
    const broken = await face().send({ attachments: [{ filename: 'a', path: 'http://127.0.0.1:1/' }] })
    await face().settled(simulated)
    expect(statusesOf(await face().detail(simulated))).toEqual({
      'delayed@simulator.localpost': ['sent', 'delivery_delayed', 'delivered'],
      'complaint@simulator.localpost': ['sent', 'delivered', 'complained'],
    })
    expect(statusesOf(await face().settled(broken))).toEqual({ 'ada@example.com': ['sent', 'failed'] })
  })
})

describe('the order of events', () => {
  it('events.order: `sent` exists when the send is answered, at the time of acceptance, for every recipient', async () => {
    const face = await open()
    const waiting = await serve(() => undefined)
    const attachments = [{ filename: 'a', path: waiting }]
    const id = await face.send({ to: 'a@x.test', cc: 'b@x.test', attachments })
    for (const email of [await face.detail(id), await face.item(id)]) {
      expect(email.last_event).toMatchObject({ status: 'sent', timestamp: email.email_sent_timestamp })
    }
    expect(statusesOf(await face.detail(id))).toEqual({ 'a@x.test': ['sent'], 'b@x.test': ['sent'] })
  })

  it('events.order: delivered is taken from the server’s own reply', async () => {
    const server = await openMailServer(() => '250 2.1.5 Fine', '250 2.0.0 Taken as 42')
    const face = await open({ relay: server.url, relayAll: true, hostname: 'mta.acme.test' })
    const { last_event } = await relayed(face, 'ada')
    expect(last_event).toMatchObject({
      recipient: 'ada@x.test',
      status: 'delivered',
      smtp_response: '250 2.0.0 Taken as 42',
      reporting_mta: 'mta.acme.test',
      processing_time_millis: expect.any(Number),
    })
    const own = await open()
    expect((await own.settled(await own.send())).last_event).toMatchObject({
      status: 'delivered',
      smtp_response: expect.stringMatching(/^250 /),
    })
  })

  it('events.order: every recipient has the outcome that the server reported', async () => {
    const server = await openMailServer((to) => (to.startsWith('no') ? '550 5.1.1 No such user' : '250 OK'))
    const face = await open({ relay: server.url, relayAll: true })
    expect(statusesOf(await relayed(face, 'ada', 'nobody', 'bob'))).toEqual({
      'ada@x.test': ['sent', 'delivered'],
      'nobody@x.test': ['sent', 'bounced'],
      'bob@x.test': ['sent', 'delivered'],
    })
    expect(server.asked).toHaveLength(3)
  })
})

describe('addresses in upper case', () => {
  it('events.order: a refused recipient is bounced whatever the case of its domain', async () => {
    const server = await openMailServer((to) => (/^no/i.test(to) ? '550 5.1.1 No such user' : '250 OK'))
    const face = await open({ relay: server.url, relayAll: true })
    const to = ['ada@x.test', 'Nobody@X.Test']
    expect(statusesOf(await face.settled(await face.send({ to })))).toEqual({
      'ada@x.test': ['sent', 'delivered'],
      'Nobody@X.Test': ['sent', 'bounced'],
    })
  })
})

describe('retries', () => {
  it.each([
    ['a 4xx reply', '451 4.3.0 Later'],
    ['a lost connection', null],
  ])(
    'events.retries: after %s it is tried three times more without events, then it is bounced Transient',
    async (_, reply) => {
      const server = await openMailServer(() => reply)
      const delays = [60, 120, 240]
      const face = await open({ relay: server.url, relayAll: true, retryDelaysMs: delays })
      const email = await relayed(face, 'ada')
      expect(statusesOf(email)).toEqual({ 'ada@x.test': ['sent', 'bounced'] })
      expect(email.last_event).toMatchObject({ status: 'bounced', type: 'Transient', subtype: 'General' })
      expect(server.asked).toHaveLength(4)
      for (const [i, delay] of delays.entries()) {
        const [before, next] = server.asked.slice(i, i + 2)
        expect((next?.at ?? 0) - (before?.at ?? 0)).toBeGreaterThanOrEqual(delay)
      }
    },
  )

  it('events.retries: a recipient accepted at a later try is delivered, and an accepted one is not tried again', async () => {
    const server = await openMailServer((to, attempt) => {
      if (to.startsWith('ada')) return '250 OK'
      return attempt < 3 ? (attempt === 1 ? '450 4.2.0 Busy' : null) : '250 OK'
    })
    const face = await open({ relay: server.url, relayAll: true })
    expect(statusesOf(await relayed(face, 'ada', 'later'))).toEqual({
      'ada@x.test': ['sent', 'delivered'],
      'later@x.test': ['sent', 'delivered'],
    })
    expect(server.asked.filter(({ recipient }) => recipient.startsWith('ada'))).toHaveLength(1)
    expect(server.asked).toHaveLength(4)
  })

  it('events.retries: the default waits are 1, 2 and 4 seconds', async () => {
    let now = 1_767_323_045_000
    const waits: number[] = []
    // The clock advances when the outbox waits; background work waits for shorter times.
    const clock: Clock = {
      now: () => now,
      after(ms, run) {
        // Not the removal of expired keys, after ten seconds and then each hour.
        const isRetry = ms >= 1000 && ms < 10_000
        const timer = setTimeout(
          () => {
            if (isRetry) {
              waits.push(ms)
              now += ms
            }
            run()
          },
          isRetry ? 1 : ms,
        )
        return () => clearTimeout(timer)
      },
    }
    const face = await open({ clock, retryDelaysMs: undefined })
    const { last_event, email_sent_timestamp } = await face.settled(
      await face.send({ to: 'softbounce@simulator.localpost' }),
    )
    expect(last_event.status).toBe('bounced')
    expect(waits).toEqual([1000, 2000, 4000])
    expect(last_event.timestamp - email_sent_timestamp).toBe(7000)
  })
})
