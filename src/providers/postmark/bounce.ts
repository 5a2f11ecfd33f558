import { isSuppression } from '../../emails/events.ts'
import type { EmailEvent } from '../../emails/types.ts'
import type { ShapedEvent } from '../../webhooks/shape.ts'
import { eventKey, idAt } from '../event-facts.ts'
import { bounceKinds, type BounceKind } from './bounce-kinds.ts'
import { labelsOf, postmark, serverId, toTime, type Labels } from './conventions.ts'
import { toNumber } from './numbers.ts'

/** The kind of bounce that an event is; null for an event of another kind. */
function bounceKindOf(event: EmailEvent): BounceKind | null {
  switch (event.status) {
    case 'bounced':
      return ofBounce(event)
    case 'delivery_delayed':
      return bounceKinds.transient
    case 'complained':
      return bounceKinds.complaint
    case 'failed':
      return bounceKinds.failed
    case 'sent':
    case 'delivered':
    case 'opened':
    case 'clicked':
      return null
  }
}

function ofBounce(event: Extract<EmailEvent, { status: 'bounced' }>): BounceKind {
  if (isSuppression(event)) return bounceKinds.inactive
  const { type, subtype } = event
  if (subtype === 'ContentRejected' || subtype === 'AttachmentRejected') return bounceKinds.blocked
  if (type === 'Permanent') return bounceKinds.hard
  return type === 'Transient' ? bounceKinds.soft : bounceKinds.unknown
}

/** A bounce, without what it is a record of. */
export interface Bounce extends Omit<BounceKind, 'deactivates'>, Labels {
  ID: number
  MessageID: string
  ServerID: number
  Details: string
  Email: string
  From: string
  BouncedAt: string
  DumpAvailable: boolean
  Inactive: boolean
  CanActivate: boolean
  Subject: string
}

/**
 * Writes an event as a bounce; null for an event of another kind.
 *
 * @param isInactive  Whether the recipient gets no more mail. Default: what Postmark decides for this kind of bounce.
 */
export function toBounce(given: ShapedEvent, isInactive?: boolean): Bounce | null {
  const { email, recipient, event } = given
  const found = bounceKindOf(event)
  if (!found) return null
  const { deactivates, ...named } = found
  const dump = dumpOf(event)
  return {
    ID: toNumber(eventKey(given)),
    ...named,
    ...labelsOf(email),
    MessageID: idAt(postmark, email),
    ServerID: serverId,
    Details: dump || ('reason' in event ? event.reason : named.Description),
    Email: recipient,
    From: email.envelope.mail_from,
    BouncedAt: toTime(event.timestamp),
    DumpAvailable: dump !== '',
    Inactive: isInactive ?? deactivates,
    CanActivate: found !== bounceKinds.complaint && deactivates,
    Subject: email.subject,
  }
}

/** What the server said; `""` where no server said anything. */
export function dumpOf(event: EmailEvent): string {
  return ('smtp_response' in event ? event.smtp_response : undefined) ?? ''
}
