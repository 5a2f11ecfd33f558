import { z } from 'zod'
import { bounceSubtypes, bounceTypes, eventStatuses } from './statuses.ts'
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
export const eventCauseSchema: z.ZodType<EventCause> = z.union([
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

/** One event of one recipient, as stored, with all facts. Answers of `/v1` show a part of it. */
export const emailEventSchema: z.ZodType<EmailEvent> = z.union([
  z.strictObject({ timestamp, status: z.literal('sent') }),
  z.strictObject({ timestamp, status: z.literal('complained'), cause }),
  z.strictObject({ timestamp, status: z.literal('delivered'), ...delivery }),
  z.strictObject({
    timestamp,
    status: z.literal('bounced'),
    ...bounce,
    smtp_response: z
      .string()
      .optional()
      .describe('The reply or the fault that caused it; absent when it was asked for'),
    reporting_mta: z.string().optional(),
    cause,
  }),
  z.strictObject({
    timestamp,
    status: z.literal('delivery_delayed'),
    smtp_response: z.string().optional(),
    cause,
  }),
  z.strictObject({ timestamp, status: z.literal('failed'), reason: z.string() }),
  z.strictObject({ timestamp, status: z.literal('opened'), ...hit }),
  z.strictObject({ timestamp, status: z.literal('clicked'), ...hit, link: z.string() }),
])

/** One distinct envelope recipient and its events, in ascending time order. */
export const recipientStateSchema: z.ZodType<RecipientState> = z.strictObject({
  recipient: z.string(),
  events: z.array(emailEventSchema),
})

const toRecipient = { recipient: z.string(), timestamp }

/** `last_event`, docs/interface.md 2.3: the members depend on the status. */
export const lastEventSchema: z.ZodType<LastEvent> = z.union([
  z.strictObject({
    ...toRecipient,
    status: z.enum(['sent', 'opened', 'complained', 'failed', 'delivery_delayed']),
  }),
  z.strictObject({ ...toRecipient, status: z.literal('delivered'), ...delivery }),
  z.strictObject({ ...toRecipient, status: z.literal('bounced'), ...bounce }),
  z.strictObject({ ...toRecipient, status: z.literal('clicked'), link: z.string(), ...hit }),
])

/** An entry of the list item's `recipient_statuses`, docs/interface.md 2.1. */
export const recipientStatusSchema: z.ZodType<RecipientStatus> = z.union([
  z.strictObject({
    ...toRecipient,
    status: z.enum(['sent', 'delivered', 'opened', 'clicked', 'delivery_delayed', 'complained', 'failed']),
  }),
  z.strictObject({ ...toRecipient, status: z.literal('bounced'), ...bounce }),
])

/** An entry of a recipient's `events` in the detail, docs/interface.md 2.2. */
export const recipientEventSchema: z.ZodType<RecipientEvent> = z.union([
  z.strictObject({
    timestamp,
    status: z.enum(['sent', 'delivered', 'bounced', 'delivery_delayed', 'complained', 'failed']),
  }),
  z.strictObject({ timestamp, status: z.enum(['opened', 'clicked']), ...hit }),
])
