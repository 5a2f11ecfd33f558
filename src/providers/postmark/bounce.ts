import { z } from 'zod'
import { isSuppression } from '../../emails/events.ts'
import type { EmailEvent } from '../../emails/types.ts'
import type { ShapedEvent } from '../../webhooks/shape.ts'
import { eventKey, idAt } from '../event-facts.ts'
import { labelsOf, postmark, serverId, toTime, toNumber } from './conventions.ts'

/** A kind of bounce, as Postmark tells them apart. */
export interface PostmarkBounceKind {
  readonly Type: string
  readonly TypeCode: number
  readonly Name: string
  readonly Description: string
  /** Whether Postmark sends nothing more to the address. */
  readonly deactivates: boolean
}

/** The kinds that events of Localpost are. @see https://postmarkapp.com/developer/api/bounce-api#bounce-types */
export const bounceKinds = {
  hard: {
    Type: 'HardBounce',
    TypeCode: 1,
    Name: 'Hard bounce',
    Description: 'The server refused the message for good, such as for an unknown user.',
    deactivates: true,
  },
  transient: {
    Type: 'Transient',
    TypeCode: 2,
    Name: 'Message delayed',
    Description: 'The server could not take the message now. It is tried again.',
    deactivates: false,
  },
  unknown: {
    Type: 'Unknown',
    TypeCode: 2048,
    Name: 'Unknown bounce type',
    Description: 'It is not known why the message did not arrive.',
    deactivates: false,
  },
  soft: {
    Type: 'SoftBounce',
    TypeCode: 4096,
    Name: 'Soft bounce',
    Description: 'The server could not take the message, such as for a full mailbox.',
    deactivates: false,
  },
  complaint: {
    Type: 'SpamComplaint',
    TypeCode: 100001,
    Name: 'Spam complaint',
    Description: 'The recipient marked the message as spam.',
    deactivates: true,
  },
  inactive: {
    Type: 'ManuallyDeactivated',
    TypeCode: 100002,
    Name: 'Manually deactivated',
    Description: 'The address is on the suppression list.',
    deactivates: true,
  },
  blocked: {
    Type: 'Blocked',
    TypeCode: 100006,
    Name: 'ISP block',
    Description: 'The server refused the message for its content.',
    deactivates: false,
  },
  failed: {
    Type: 'SMTPApiError',
    TypeCode: 100007,
    Name: 'SMTP API error',
    Description: 'The message could not be sent.',
    deactivates: false,
  },
} as const satisfies Record<string, PostmarkBounceKind>

/** The names of all kinds. */
export const bounceTypes: readonly string[] = Object.values(bounceKinds).map(({ Type }) => Type)

/** A bounce as it is answered. */
export const bounceSchema = z.strictObject({
  RecordType: z.literal('Bounce'),
  ID: z.int(),
  Type: z.string().describe(`One of ${bounceTypes.join(', ')}`),
  TypeCode: z.int(),
  Name: z.string(),
  Description: z.string(),
  Tag: z.string(),
  MessageID: z.string(),
  MessageStream: z.string(),
  Metadata: z.record(z.string(), z.string()),
  ServerID: z.int(),
  Details: z.string().describe('What the server answered, where one did'),
  Email: z.string(),
  From: z.string(),
  BouncedAt: z.string(),
  DumpAvailable: z.boolean(),
  Inactive: z.boolean().describe('Whether the address is on the suppression list now'),
  CanActivate: z.boolean(),
  Subject: z.string(),
})

/** A bounce, without what it is a record of. */
export type Bounce = Omit<z.infer<typeof bounceSchema>, 'RecordType'>

/**
 * Writes an event as a bounce; null for an event of another kind.
 *
 * @param isInactive  Whether the recipient gets no more mail. Default: what Postmark decides for this kind of bounce.
 */
export function toBounce(given: ShapedEvent, isInactive?: boolean): Bounce | null {
  const { email, recipient, event } = given
  if (!isBounce(event)) return null
  const found = bounceKindOf(event)
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

type Deactivation = { Origin: 'Recipient'; SuppressionReason: string }

/**
 * What Postmark tells beside a bounce that deactivated its address; null for other bounces. `deactivates` is also true for
 * an address that was deactivated before, of which it does not tell again.
 */
export function newDeactivationOf({ Type }: Pick<Bounce, 'Type'>): Deactivation | null {
  const isNew = Type === bounceKinds.hard.Type || Type === bounceKinds.complaint.Type
  return isNew ? { Origin: 'Recipient', SuppressionReason: Type } : null
}

/** What the server said; `""` where no server said anything. */
export function dumpOf(event: EmailEvent): string {
  return ('smtp_response' in event ? event.smtp_response : undefined) ?? ''
}

/** The statuses of the events that are bounces here. */
export const bounceStatuses = ['bounced', 'complained', 'delivery_delayed', 'failed'] as const

type BounceEvent = Extract<EmailEvent, { status: (typeof bounceStatuses)[number] }>

function isBounce(event: EmailEvent): event is BounceEvent {
  return bounceStatuses.some((status) => status === event.status)
}

/** The kind of bounce that an event is. */
function bounceKindOf(event: BounceEvent): PostmarkBounceKind {
  switch (event.status) {
    case 'bounced':
      return kindOfBounced(event)
    case 'delivery_delayed':
      return bounceKinds.transient
    case 'complained':
      return bounceKinds.complaint
    case 'failed':
      return bounceKinds.failed
  }
}

function kindOfBounced(event: Extract<EmailEvent, { status: 'bounced' }>): PostmarkBounceKind {
  if (isSuppression(event)) return bounceKinds.inactive
  const { type, subtype } = event
  if (subtype === 'ContentRejected' || subtype === 'AttachmentRejected') return bounceKinds.blocked
  if (type === 'Permanent') return bounceKinds.hard
  return type === 'Transient' ? bounceKinds.soft : bounceKinds.unknown
}
