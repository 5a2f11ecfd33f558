import { describe, expect, it } from 'vitest'
import type { SmtpSessionSummary } from '../../src/inbox/smtp-session-types.ts'
import type { LoggedRequest } from '../../src/server/types.ts'
import type { WebhookDelivery } from '../../src/webhooks/types.ts'
import {
  deliveryRow,
  fewOf,
  isKind,
  isProblem,
  matches,
  merged,
  requestRow,
  sessionRow,
} from '../../ui/views/requests/traffic.ts'

const request = (given: Partial<LoggedRequest>): LoggedRequest => ({
  id: 'req_1',
  source: 'http',
  timestamp: 5,
  method: 'POST',
  path: '/v1/emails',
  status: 200,
  duration_ms: 1,
  api_key: null,
  warnings: [],
  request_body: null,
  response_body: null,
  ...given,
})
const session = (given: Partial<SmtpSessionSummary>): SmtpSessionSummary => ({
  id: 'ses_1',
  started: 5,
  ended: 6,
  remote_address: '127.0.0.1:2',
  client_name: 'app',
  user: null,
  secure: false,
  message_count: 0,
  mail_from: null,
  rcpt_to: [],
  email_ids: [],
  problems: [],
  ...given,
})
const none = new Map()

describe('a row of the timeline', () => {
  it.each([
    [
      '{"from":"a@x.test","to":"b@x.test","subject":"Hi"}',
      { from: 'a@x.test', to: ['b@x.test'], subject: 'Hi' },
    ],
    ['[{"from":"a@x.test","to":["b@x.test",1,null]}]', { from: 'a@x.test', to: ['b@x.test'], subject: '' }],
    ['{"from":"a@x.test","to":"b', { from: '', to: [], subject: '' }],
    ['"text"', { from: '', to: [], subject: '' }],
    [null, { from: '', to: [], subject: '' }],
  ])('reads who and what from the body of a request: %s', (request_body, expected) => {
    expect(requestRow(request({ request_body }), none)).toMatchObject(expected)
  })

  it('says what became of the mail, where it is known', () => {
    const mail = { from: 'A', to: ['b@x.test'], subject: 'Hi', last_event: { status: 'bounced' } } as never
    const known = new Map([['em_1', mail]])
    expect(requestRow(request({ response_body: '{"id":"em_1"}' }), known)).toMatchObject({
      subject: 'Hi',
      outcome: { words: 'Bounced', tone: 'bad' },
    })
    expect(sessionRow(session({ email_ids: ['em_1'], message_count: 1 }), known).outcome.words).toBe(
      'Bounced',
    )
  })

  it('names the recipients of a session that was refused', () => {
    const problem = { kind: 'recipient_refused', message: 'A recipient was refused.' } as never
    const row = sessionRow(
      session({ mail_from: 'a@x.test', rcpt_to: ['b@x.test'], problems: [problem] }),
      none,
    )
    expect(row).toMatchObject({ from: 'a@x.test', to: ['b@x.test'], outcome: { words: 'No message' } })
    expect(isProblem(row)).toBe(true)
    expect(matches(row, 'B@X refused')).toBe(true)
    expect(matches(row, 'b@x nobody')).toBe(false)
  })

  it('says that a webhook is deleted only if the webhooks are known', () => {
    const delivery: WebhookDelivery = {
      id: 'whd_1',
      webhook_id: 'wh_1',
      event_id: 'evt_1',
      type: 'email.sent',
      email_id: null,
      domain_id: null,
      recipient: null,
      subject: null,
      domain_name: null,
      created: 5,
      state: 'pending',
      due: null,
      body: '',
      attempts: [],
    }
    const webhook = { id: 'wh_1', url: 'https://x.test/hook', secret: '', events: [] }
    const places = [null, new Map([['wh_1', webhook]]), new Map()].map(
      (webhooks) => deliveryRow(delivery, webhooks).what,
    )
    expect(places).toEqual([
      'email.sent to a webhook',
      'email.sent to x.test/hook',
      'email.sent to a deleted webhook',
    ])
  })

  it('shortens many recipients', () => {
    expect(fewOf(Array.from({ length: 1000 }, (_, at) => `r${at}@x.test`))).toBe('r0@x.test and 999 more')
  })
})

it('a timeline ends where a list has more, so that nothing is missing in it', () => {
  const at = (time: number, id: string) => requestRow(request({ id, timestamp: time }), none)
  const many = { rows: [at(9, 'a'), at(7, 'b')], hasMore: true }
  const few = { rows: [at(8, 'c'), at(2, 'd')], hasMore: false }
  expect(merged([many, few]).map(({ id }) => id)).toEqual(['a', 'c', 'b'])
  expect(merged([{ ...many, hasMore: false }, few]).map(({ id }) => id)).toEqual(['a', 'c', 'b', 'd'])
})

it('knows its kinds, and none that every object has a member of', () => {
  expect(['sessions', 'req_1', 'toString', '__proto__', undefined].map((name) => isKind(name))).toEqual([
    true,
    false,
    false,
    false,
    false,
  ])
})
