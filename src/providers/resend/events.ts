import { isSuppression } from '../../emails/events.ts'
import type { EmailEvent } from '../../emails/types.ts'
import type { ShapedEvent, WebhookShape } from '../../webhooks/shape.ts'
import type { EmailEventType } from '../../webhooks/types.ts'
import { idAt } from '../event-facts.ts'
import { shownMessageId, resend, toTime } from './conventions.ts'

/** The events that a webhook can ask for, with ours of which they are made. */
const events = {
  'email.sent': 'email.sent',
  'email.delivered': 'email.delivered',
  'email.delivery_delayed': 'email.delivery_delayed',
  'email.complained': 'email.complained',
  'email.bounced': 'email.bounced',
  'email.opened': 'email.opened',
  'email.clicked': 'email.clicked',
  'email.failed': 'email.failed',
  'email.suppressed': 'email.bounced',
} as const satisfies Record<string, EmailEventType>
type ResendEvent = keyof typeof events

/** Webhooks as Resend posts them, signed by Svix. @see https://resend.com/docs/webhooks/event-types */
export const resendShape: WebhookShape = {
  name: resend,
  events,
  email(given) {
    const type: ResendEvent = isSuppression(given.event) ? 'email.suppressed' : `email.${given.event.status}`
    const data = { ...emailData(given), ...detailOf(given.event) }
    return { type, body: { type, created_at: toTime(given.event.timestamp), data } }
  },
  headers: ({ id, time, sign }) => ({
    'svix-id': id,
    'svix-timestamp': String(Math.floor(time.getTime() / 1000)),
    'svix-signature': sign(),
  }),
}

function emailData({ email, recipient }: ShapedEvent): object {
  const { created, from, subject, template_id, metadata } = email
  return {
    created_at: toTime(created),
    email_id: idAt(resend, email),
    message_id: shownMessageId(email),
    from,
    to: [recipient],
    subject,
    ...(template_id === null ? {} : { template_id }),
    ...(metadata && { tags: metadata }),
  }
}

function detailOf(event: EmailEvent): object {
  switch (event.status) {
    case 'bounced': {
      const { type, subtype: subType, smtp_response: message = `${type}, ${subType}` } = event
      return isSuppression(event)
        ? { suppressed: { message, type: subType } }
        : { bounce: { message, subType, type } }
    }
    case 'clicked': {
      const { ip: ipAddress, link, timestamp, user_agent: userAgent } = event
      return { click: { ipAddress, link, timestamp: toTime(timestamp), userAgent } }
    }
    case 'failed':
      return { failed: { reason: event.reason } }
    case 'opened':
    case 'sent':
    case 'delivered':
    case 'delivery_delayed':
    case 'complained':
      return {}
  }
}
