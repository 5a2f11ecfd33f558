import { expect, it } from 'vitest'
import type { EmailEvent, EventStatus } from '../../src/emails/types.ts'
import { sentTo, withEvents, outcomeOf } from '../../src/emails/events.ts'
import { anEmail } from '../inbox/_email.ts'

it('an event is never older than the one before it, even if the clock moved back', () => {
  const delivered: EmailEvent = {
    status: 'delivered',
    timestamp: 400,
    processing_time_millis: 1,
    smtp_response: '250 OK',
    reporting_mta: 'localhost',
  }
  const opened: EmailEvent = { status: 'opened', timestamp: 900, ip: '127.0.0.1', user_agent: 'test' }
  const email = {
    ...anEmail(1),
    recipients: [sentTo('ada@example.com', 500), sentTo('bob@example.com', 300)],
  }
  const { recipients } = withEvents(
    email,
    new Map([
      ['ada@example.com', [delivered, opened]],
      ['bob@example.com', [delivered]],
    ]),
  )
  expect(recipients.map(({ events }) => events.map(({ timestamp }) => timestamp))).toEqual([
    [500, 500, 900],
    [300, 400],
  ])
})

it.each<[EventStatus[], EventStatus]>([
  [['sent'], 'sent'],
  [['sent', 'delivery_delayed', 'delivered'], 'delivered'],
  [['sent', 'delivered', 'opened', 'clicked', 'opened'], 'clicked'],
  [['sent', 'delivered', 'complained', 'opened', 'clicked'], 'complained'],
  [['sent', 'bounced', 'opened'], 'bounced'],
  [['sent', 'bounced', 'delivered', 'opened'], 'opened'],
  [['sent', 'failed'], 'failed'],
])('the outcome of a recipient with %j is %s: an opening hides no problem', (statuses, outcome) => {
  const events = statuses.map((status, timestamp) => ({ status, timestamp }) as EmailEvent)
  expect(outcomeOf(events)).toBe(outcome)
})
