import { beforeEach, describe, expect, it } from 'vitest'
import { emailCollection, type EmailEvent, type EmailRecord } from '../../src/emails/email.ts'
import { openMemoryStore } from '../../src/store/open.ts'
import { insert, type Store } from '../../src/store/store.ts'
import { recordHit } from '../../src/tracking/hits.ts'
import { holdClock, type HeldClock } from '../support/deps.ts'

let store: Store
let clock: HeldClock
const by = { ip: '::1', user_agent: 'Reader\r\n\u0085 1' }
const sent: EmailEvent = { status: 'sent', timestamp: 1 }

beforeEach(async () => {
  store = await openMemoryStore({ collections: [emailCollection] })
  clock = holdClock()
})

async function given(...events: EmailEvent[]): Promise<void> {
  const email = { id: 'em_1', recipients: [{ recipient: 'ada@x.test', events: [sent, ...events] }] }
  await store.commit([insert(emailCollection, email as unknown as EmailRecord)])
}

async function hit(recipient = 0, link?: string): Promise<EmailEvent[]> {
  expect(await recordHit({ store, clock }, { email_id: 'em_1', recipient, link }, by)).toBe(true)
  return (await store.get(emailCollection, 'em_1'))?.recipients[0]?.events.slice(1) ?? []
}

describe('a hit', () => {
  it('is an event of its recipient, without control characters', async () => {
    await given()
    await hit()
    const base = { timestamp: clock.now(), ip: '::1', user_agent: 'Reader 1' }
    expect(await hit(0, 'http://a.test')).toEqual([
      { status: 'opened', ...base },
      { status: 'clicked', ...base, link: 'http://a.test' },
    ])
  })

  it('is never older than the event before it, whatever the clock did', async () => {
    const timestamp = clock.now() + 5000
    await given({ status: 'delivery_delayed', timestamp })
    expect((await hit())[1]).toMatchObject({ status: 'opened', timestamp })
  })

  it.each<EmailEvent>([
    { status: 'bounced', timestamp: 2, type: 'Permanent', subtype: 'General' },
    { status: 'failed', timestamp: 2, reason: 'x' },
  ])('after $status is no event', async (event) => {
    await given(event)
    expect(await hit()).toEqual([event])
  })

  it('after a bounce that was not for good is one', async () => {
    await given({ status: 'bounced', timestamp: 2, type: 'Transient', subtype: 'MailboxFull' })
    expect(await hit()).toHaveLength(2)
  })

  it.each([1, -1, 0.5, Number.NaN])('of recipient %d, who is not there, is none', async (recipient) => {
    await given()
    expect(await hit(recipient)).toEqual([])
  })

  it('of an email that is gone is reported', async () => {
    expect(await recordHit({ store, clock }, { email_id: 'em_2', recipient: 0 }, by)).toBe(false)
  })

  it('is none beyond 500 events, so that a record cannot grow without bound', async () => {
    await given(...Array.from({ length: 498 }, (): EmailEvent => ({ status: 'complained', timestamp: 1 })))
    expect(await hit()).toHaveLength(499)
    expect(await hit()).toHaveLength(499)
  })
})
