import type { EmailEvent } from '../../emails/types.ts'
import type { ShapedBody, ShapedEvent, WebhookShape } from '../../webhooks/shape.ts'
import type { EmailEventType } from '../../webhooks/types.ts'
import { idAt } from '../event-facts.ts'
import { bounceKinds, newDeactivationOf, toBounce, type Bounce } from './bounce.ts'
import { labelsOf, postmark, serverId, toTime } from './conventions.ts'

/** What a webhook of Postmark can be triggered by: the record types of its events. */
export type PostmarkTrigger =
  | 'Delivery'
  | 'Bounce'
  | 'SpamComplaint'
  | 'Open'
  | 'Click'
  | 'SubscriptionChange'

/** The triggers, and our events of which each is made. */
const events: Readonly<Record<PostmarkTrigger, EmailEventType | readonly EmailEventType[]>> = {
  Delivery: 'email.delivered',
  Bounce: ['email.bounced', 'email.delivery_delayed', 'email.failed'],
  SpamComplaint: 'email.complained',
  Open: 'email.opened',
  Click: 'email.clicked',
  SubscriptionChange: ['email.bounced', 'email.complained'],
}

/** Webhooks as Postmark posts them, which are not signed. @see https://postmarkapp.com/developer/webhooks/webhooks-overview */
export const postmarkShape: WebhookShape = {
  name: postmark,
  events,
  email(given) {
    const { event } = given
    const bounce = toBounce(given)
    if (bounce) return ofBounce(bounce, event)
    switch (event.status) {
      case 'delivered': {
        const times = { DeliveredAt: toTime(event.timestamp), Details: event.smtp_response }
        return toBody('Delivery', { ...commonOf(given), ServerID: serverId, ...times })
      }
      case 'opened':
        return toBody('Open', { ...visitOf(given, event), FirstOpen: isFirst(given), ReadSeconds: 0 })
      case 'clicked':
        return toBody('Click', { ...visitOf(given, event), ClickLocation: 'HTML', OriginalLink: event.link })
      case 'sent':
      case 'bounced':
      case 'complained':
      case 'delivery_delayed':
      case 'failed':
        return null
    }
  },
  headers: () => ({}),
}

function toBody(type: PostmarkTrigger, members: object): ShapedBody {
  return { type, body: { RecordType: type, ...members } }
}

/** Postmark also tells that an address was deactivated. */
function ofBounce(bounce: Bounce, event: EmailEvent): ShapedBody[] {
  const isComplaint = bounce.Type === bounceKinds.complaint.Type
  const first = toBody(isComplaint ? 'SpamComplaint' : 'Bounce', bounce)
  const deactivation = newDeactivationOf(bounce)
  if (!deactivation) return [first]
  const { Origin, SuppressionReason } = deactivation
  const { MessageID, ServerID, MessageStream, Tag, Metadata, Email } = bounce
  const change = {
    MessageID,
    ServerID,
    MessageStream,
    ChangedAt: toTime(event.timestamp),
    Recipient: Email,
    Origin,
    SuppressSending: true,
    SuppressionReason,
    Tag,
    Metadata,
  }
  return [first, toBody('SubscriptionChange', change)]
}

function commonOf({ email, recipient }: ShapedEvent): object {
  return { ...labelsOf(email), MessageID: idAt(postmark, email), Recipient: recipient }
}

type Visit = Extract<EmailEvent, { status: 'opened' | 'clicked' }>

// Clients expect these members, also where nothing is known of who reads.
const nothingKnown = { Name: '', Company: '', Family: '' }

function visitOf(given: ShapedEvent, { timestamp, ip, user_agent }: Visit): object {
  return {
    ...commonOf(given),
    Client: nothingKnown,
    OS: nothingKnown,
    Platform: 'Unknown',
    UserAgent: user_agent,
    Geo: { IP: ip },
    ReceivedAt: toTime(timestamp),
  }
}

function isFirst({ email, recipient, event }: ShapedEvent): boolean {
  const all = email.recipients.find((one) => one.recipient === recipient)?.events ?? []
  return all.find(({ status }) => status === 'opened')?.timestamp === event.timestamp
}
