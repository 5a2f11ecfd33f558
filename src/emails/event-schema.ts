import { z } from 'zod'
import { bounceSubtypes, bounceTypes, type EmailPayload, eventStatuses } from './events.ts'
import type {
  BounceSubtype,
  BounceType,
  EmailEvent,
  EventCause,
  EventStatus,
  LastEvent,
  RecipientEvent,
  RecipientState,
  RecipientStatus,
} from './types.ts'

const timestamp = z.int().describe('Unix time in milliseconds')

/** The statuses of a recipient. */
export const eventStatusSchema: z.ZodType<EventStatus> = z.enum(eventStatuses)
/** The type of a bounce, in Amazon SES's vocabulary and the spelling of its events. */
export const bounceTypeSchema: z.ZodType<BounceType> = z.enum(bounceTypes)
/** The subtypes of bounces, in the same vocabulary. */
export const bounceSubtypeSchema: z.ZodType<BounceSubtype> = z.enum(bounceSubtypes)

/** The cause of an event on this machine that a real server might not have sent. */
export const eventCauseSchema: z.ZodType<EventCause> = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('rule'),
    match: z.string().describe('As the rule has it'),
    action: z.enum(['reject', 'greylist', 'drop']),
  }),
  z.strictObject({ kind: z.literal('simulator').describe('The address is one of the simulator') }),
])
const cause = eventCauseSchema.optional().describe('Absent if no rule and no simulator caused it')

const hit = { ip: z.string(), user_agent: z.string() }
const bounce = { type: bounceTypeSchema, subtype: bounceSubtypeSchema }
const delivery = { processing_time_millis: z.int(), reporting_mta: z.string(), smtp_response: z.string() }

/** An event of one status: as stored, and as webhooks post it. */
function variant<const Status extends EventStatus, Members extends z.ZodRawShape>(
  status: Status,
  members: Members,
) {
  const own = { timestamp, status: z.literal(status), ...members }
  return {
    stored: z.strictObject(own),
    posted: z.strictObject({
      type: z.literal(`email.${status}`),
      timestamp: z
        .string()
        .describe('The time of the event: ISO 8601 in UTC, as in Standard Webhooks; the same as in `data`'),
      data: z
        .strictObject({ email_id: z.string(), recipient: z.string().describe('Its address'), ...own })
        .describe('The email, the recipient, and all members of the event, named as in `last_event`'),
    }),
  }
}

const sent = variant('sent', {})
const complained = variant('complained', { cause })
const delivered = variant('delivered', delivery)
const bounced = variant('bounced', {
  ...bounce,
  smtp_response: z
    .string()
    .optional()
    .describe('The reply or the fault that caused it; absent when it was asked for'),
  reporting_mta: z.string().optional(),
  cause,
})
const delayed = variant('delivery_delayed', { smtp_response: z.string().optional(), cause })
const failed = variant('failed', { reason: z.string() })
const opened = variant('opened', hit)
const clicked = variant('clicked', { ...hit, link: z.string() })

/** One event of one recipient, as stored, with all facts. Answers of `/v1` show a part of it. */
export const emailEventSchema: z.ZodType<EmailEvent> = z.discriminatedUnion('status', [
  sent.stored,
  complained.stored,
  delivered.stored,
  bounced.stored,
  delayed.stored,
  failed.stored,
  opened.stored,
  clicked.stored,
])

/** The body of a request to a webhook for an event of an email: `type` says which members `data` has. */
export const emailPayloadSchema: z.ZodType<EmailPayload> = z.discriminatedUnion('type', [
  sent.posted,
  complained.posted,
  delivered.posted,
  bounced.posted,
  delayed.posted,
  failed.posted,
  opened.posted,
  clicked.posted,
])

/** One distinct envelope recipient and its events, in ascending time order. */
export const recipientStateSchema: z.ZodType<RecipientState> = z.strictObject({
  recipient: z.string(),
  events: z.array(emailEventSchema),
})

const toRecipient = { recipient: z.string(), timestamp }

// In both unions, the statuses of the first option are those without members of their own.

/** `last_event`, docs/interface.md 2.3: the members depend on the status. */
export const lastEventSchema: z.ZodType<LastEvent> = z.discriminatedUnion('status', [
  z.strictObject({
    ...toRecipient,
    status: z.enum(['sent', 'opened', 'complained', 'failed', 'delivery_delayed']),
  }),
  z.strictObject({ ...toRecipient, status: z.literal('delivered'), ...delivery }),
  z.strictObject({ ...toRecipient, status: z.literal('bounced'), ...bounce }),
  z.strictObject({ ...toRecipient, status: z.literal('clicked'), link: z.string(), ...hit }),
])

/** An entry of the list item's `recipient_statuses`, docs/interface.md 2.1. */
export const recipientStatusSchema: z.ZodType<RecipientStatus> = z.discriminatedUnion('status', [
  z.strictObject({
    ...toRecipient,
    status: z.enum(['sent', 'delivered', 'opened', 'clicked', 'delivery_delayed', 'complained', 'failed']),
  }),
  z.strictObject({ ...toRecipient, status: z.literal('bounced'), ...bounce }),
])

/** An entry of a recipient's `events` in the detail, docs/interface.md 2.2. */
export const recipientEventSchema: z.ZodType<RecipientEvent> = z.discriminatedUnion('status', [
  z.strictObject({
    timestamp,
    status: z.enum(['sent', 'delivered', 'bounced', 'delivery_delayed', 'complained', 'failed']),
  }),
  z.strictObject({ timestamp, status: z.enum(['opened', 'clicked']), ...hit }),
])
