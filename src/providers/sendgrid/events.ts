import { createHash } from 'node:crypto'
import type { EmailRecord } from '../../emails/email.ts'
import { isSuppression } from '../../emails/events.ts'
import type { BounceSubtype, EmailEvent } from '../../emails/types.ts'
import type { ShapedEvent, WebhookShape } from '../../webhooks/shape.ts'
import type { EmailEventType } from '../../webhooks/types.ts'
import { enhancedCodeIn, eventKey, idAt } from '../event-facts.ts'
import { ownMetadata, ownPrefix, sendgrid, toSeconds } from './conventions.ts'
import { signingKeyOf } from './signature.ts'

/** The events, with ours of which they are made. */
const events = {
  processed: ['email.sent'],
  deferred: ['email.delivery_delayed'],
  delivered: ['email.delivered'],
  bounce: ['email.bounced'],
  dropped: ['email.failed', 'email.bounced'],
  open: ['email.opened'],
  click: ['email.clicked'],
  spamreport: ['email.complained'],
} as const satisfies Readonly<Record<string, readonly EmailEventType[]>>
/** The name of an event. */
export type SendGridEvent = keyof typeof events

/**
 * Webhooks as SendGrid posts them: an array of events, here always of one, signed by ECDSA.
 *
 * @see https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/event
 */
export const sendgridShape: WebhookShape = {
  name: sendgrid,
  events,
  email(given) {
    const { event, ...detail } = detailOf(given)
    const members = Object.entries({ ...sharedMembers(given), event, ...detail })
    // One that is undefined is absent, and leaves its name to a custom argument.
    const own = Object.fromEntries(members.filter(([, value]) => value !== undefined))
    return { type: event, body: [{ ...argsOf(given.email), ...own }] }
  },
  headers({ time, body, secret }) {
    const timestamp = String(toSeconds(time.getTime()))
    return {
      'x-twilio-email-event-webhook-signature': signingKeyOf(secret).sign(timestamp + body),
      'x-twilio-email-event-webhook-timestamp': timestamp,
    }
  },
}

/** The custom arguments of an email. */
function argsOf({ metadata = {} }: EmailRecord): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !name.startsWith(ownPrefix)))
}

function sharedMembers(given: ShapedEvent): object {
  const { email, recipient, event } = given
  const { id, metadata = {}, message } = email
  const { [ownMetadata.categories]: categories, [ownMetadata.group]: group } = metadata
  return {
    email: recipient,
    timestamp: toSeconds(event.timestamp),
    'smtp-id': message?.message_id,
    category: categories?.split('\n'),
    asm_group_id: group === undefined ? undefined : Number(group),
    sg_event_id: createHash('sha256').update(eventKey(given)).digest('base64url'),
    // The part before the first dot is the id of the request; the rest tells its emails apart.
    sg_message_id: `${idAt(sendgrid, email)}.recvd-${id}.0`,
  }
}

interface Detail {
  event: SendGridEvent
  [member: string]: unknown
}

function detailOf({ email, recipient, event }: ShapedEvent): Detail {
  switch (event.status) {
    case 'sent':
      return { event: 'processed' }
    case 'delivered':
      return { event: 'delivered', response: event.smtp_response }
    case 'delivery_delayed':
      return {
        event: 'deferred',
        attempt: String(attemptOf(email, recipient, event)),
        response: event.smtp_response,
      }
    case 'bounced':
      return isSuppression(event) ? { event: 'dropped', reason: 'Bounced Address' } : bounceDetail(event)
    case 'complained':
      return { event: 'spamreport' }
    case 'failed':
      return { event: 'dropped', reason: event.reason }
    case 'opened':
      return { event: 'open', ip: event.ip, useragent: event.user_agent, sg_machine_open: false }
    case 'clicked':
      return { event: 'click', ip: event.ip, useragent: event.user_agent, url: event.link }
  }
}

/** How many deferrals the recipient has, up to this one. */
function attemptOf({ recipients }: EmailRecord, recipient: string, { timestamp }: EmailEvent): number {
  const all = recipients.find((one) => one.recipient === recipient)?.events ?? []
  return all.filter((one) => one.status === 'delivery_delayed' && one.timestamp <= timestamp).length
}

type Bounce = Extract<EmailEvent, { status: 'bounced' }>

const classifications: Readonly<Partial<Record<BounceSubtype, string>>> = {
  NoEmail: 'Invalid Address',
  MailboxFull: 'Mailbox Unavailable',
  MessageTooLarge: 'Technical',
  ContentRejected: 'Content',
  AttachmentRejected: 'Content',
}

function bounceDetail({ type, subtype, smtp_response: reason = `${type}, ${subtype}` }: Bounce): Detail {
  return {
    event: 'bounce',
    reason,
    status: enhancedCodeIn(reason),
    type: type === 'Permanent' ? 'bounce' : 'blocked',
    bounce_classification: classifications[subtype] ?? 'Unclassified',
  }
}
