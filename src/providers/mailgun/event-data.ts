import { createHash } from 'node:crypto'
import type { EmailRecord } from '../../emails/email.ts'
import { isSuppression } from '../../emails/events.ts'
import type { EmailEvent } from '../../emails/types.ts'
import type { ShapedEvent } from '../../webhooks/shape.ts'
import { enhancedCodeIn, eventKey } from '../event-facts.ts'
import { bareIdOf, testModeTag } from './conventions.ts'

/** The names of events in the log; those of webhooks tell the two kinds of `failed` apart. */
export type EventName = 'accepted' | 'rejected' | 'delivered' | 'failed' | 'opened' | 'clicked' | 'complained'

/** Mailgun's name of an event, and for `failed` whether it is final. */
export function kindOf({ status }: EmailEvent): { event: EventName; severity?: 'permanent' | 'temporary' } {
  switch (status) {
    case 'sent':
      return { event: 'accepted' }
    case 'failed':
      return { event: 'rejected' }
    case 'bounced':
      return { event: 'failed', severity: 'permanent' }
    case 'delivery_delayed':
      return { event: 'failed', severity: 'temporary' }
    case 'delivered':
    case 'opened':
    case 'clicked':
    case 'complained':
      return { event: status }
  }
}

/** The same for the same event. */
export function eventId(given: ShapedEvent): string {
  return createHash('sha256').update(eventKey(given)).digest('base64url').slice(0, 22)
}

/**
 * An event as webhooks and the log have it.
 *
 * @see https://documentation.mailgun.com/docs/mailgun/user-manual/events/event-structure
 */
export function toEventData(given: ShapedEvent): object {
  const { email, recipient, event } = given
  const { [testModeTag]: testMode, ...variables } = email.metadata ?? {}
  return {
    ...kindOf(event),
    id: eventId(given),
    timestamp: event.timestamp / 1000,
    'log-level': levelOf(event),
    recipient,
    'recipient-domain': domainOf(recipient),
    tags: email.tags,
    campaigns: [],
    'user-variables': variables,
    flags: {
      'is-routed': false,
      'is-authenticated': true,
      'is-system-test': false,
      'is-test-mode': testMode !== undefined,
    },
    envelope: { sender: email.envelope.mail_from, transport: 'smtp', targets: recipient },
    message: messageOf(email),
    storage: { key: email.id },
    ...detailOf(event),
  }
}

function messageOf(email: EmailRecord): object {
  const { from, to, subject, message } = email
  return {
    headers: { to: to.join(', '), 'message-id': bareIdOf(email), from, subject },
    attachments: [],
    size: message?.size_bytes ?? 0,
  }
}

/** The domain of an address, in lower case. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase()
}

function levelOf({ status }: EmailEvent): 'info' | 'warn' | 'error' {
  if (status === 'bounced' || status === 'failed') return 'error'
  return status === 'delivery_delayed' || status === 'complained' ? 'warn' : 'info'
}

function detailOf(event: EmailEvent): object {
  switch (event.status) {
    case 'sent':
      return { method: 'HTTP' }
    case 'delivered':
      return {
        'delivery-status': {
          ...replyOf(event.smtp_response),
          // The number of tries is not kept.
          'attempt-no': 1,
          'session-seconds': event.processing_time_millis / 1000,
          'mx-host': event.reporting_mta,
        },
      }
    case 'bounced':
      return {
        reason: reasonOf(event),
        'delivery-status': {
          ...(isSuppression(event)
            ? { code: 605, message: 'Not delivering to previously bounced address', description: '' }
            : replyOf(event.smtp_response ?? `${event.type}, ${event.subtype}`)),
          'mx-host': event.reporting_mta,
        },
      }
    case 'delivery_delayed':
      return { reason: 'generic', 'delivery-status': replyOf(event.smtp_response ?? '') }
    case 'failed':
      return { reject: { reason: event.reason, description: '' } }
    case 'opened':
      return clientOf(event)
    case 'clicked':
      return { url: event.link, ...clientOf(event) }
    case 'complained':
      return {}
  }
}

/** What a server said. @param text  Its reply, or a fault in words. */
function replyOf(text: string): object {
  // Mailgun has 498 for a connection that failed.
  const [code = 498] = /^\d{3}(?=[ -])/.exec(text) ?? []
  return { code: Number(code), message: text, description: '', 'enhanced-code': enhancedCodeIn(text) }
}

type Bounced = Extract<EmailEvent, { status: 'bounced' }>

function reasonOf(event: Bounced): string {
  if (isSuppression(event)) return 'suppress-bounce'
  return event.type === 'Transient' ? 'old' : 'bounce'
}

function clientOf({ ip, user_agent }: Extract<EmailEvent, { status: 'opened' | 'clicked' }>): object {
  return { ip, 'client-info': { 'user-agent': user_agent } }
}
