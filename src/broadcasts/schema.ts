import { z } from 'zod'
import type {
  Broadcast,
  BroadcastDetail,
  BroadcastListQuery,
  BroadcastMoment,
  BroadcastRequest,
  BroadcastSummary,
  BroadcastTotals,
  LeftOut,
  LeftOutContact,
} from './types.ts'
import { defaultPageSize, maxPageSize } from '../core/lists.ts'
import { maxLeftOut } from './left-out.ts'
import { maxMoments } from './timeline.ts'
import { maxSubjectBytes } from '../emails/render.ts'
import { sendMembers } from '../emails/send-schema.ts'

/** The body of `POST /dev/broadcasts`: a mail that is personalised for each subscribed contact. */
export const broadcastRequestSchema: z.ZodType<BroadcastRequest> = z
  .strictObject({
    audience_id: z.string().min(1),
    from: sendMembers.from,
    subject: z.string().max(maxSubjectBytes),
    html: z
      .string()
      .optional()
      .describe(
        '`{{first_name}}`, `{{last_name}}` and `{{email}}` are filled in, as in `subject` and `text`',
      ),
    text: z.string().optional(),
  })
  .meta({
    description:
      '`{{first_name}}`, `{{last_name}}` and `{{email}}` are filled in; one of `html` and `text` must not be empty.',
  })

/** A contact that a broadcast leaves out, and why. */
export const leftOutContactSchema: z.ZodType<LeftOutContact> = z.strictObject({
  id: z.string(),
  email: z.string(),
  reason: z.enum(['unsubscribed', 'invalid_address']),
  message: z.string().describe('The reason in words'),
})

/** The contacts of an audience that a broadcast leaves out. */
export const leftOutSchema: z.ZodType<LeftOut> = z
  .strictObject({
    unsubscribed: z.int().describe('How many contacts are not subscribed'),
    invalid_address: z.int().describe('How many contacts have an address that cannot be sent to'),
    contacts: z
      .array(leftOutContactSchema)
      .max(maxLeftOut)
      .describe(`The first ${maxLeftOut} of them; invalid addresses come first`),
  })
  .meta({ description: 'The contacts that get no email' })

/** The answer to a broadcast: one email per subscribed contact. */
export const broadcastSchema: z.ZodType<Broadcast> = z.strictObject({
  id: z.string().describe('Each of its emails has it as a tag'),
  email_ids: z.array(z.string()),
  count: z.int().describe('How many emails: the length of `email_ids`'),
  left_out: leftOutSchema,
  warnings: z
    .array(z.string())
    .describe('What was accepted but looks wrong: placeholders that stay as written, an unregistered domain'),
})

const summaryMembers = {
  id: z.string().describe('Each of its emails has it as a tag'),
  audience_id: z.string(),
  from: z.string(),
  subject: z.string().describe('With its placeholders'),
  created: z.int().describe('Unix time in milliseconds'),
  count: z.int().describe('How many emails were accepted; 0 until all of them are'),
}

/** A broadcast that was sent. */
export const broadcastSummarySchema: z.ZodType<BroadcastSummary> = z.strictObject(summaryMembers)

const ofEmails = z.int().min(0)

/** How many emails of a broadcast had an event of each status at least once. One email may count in several. */
export const broadcastTotalsSchema: z.ZodType<BroadcastTotals> = z
  .strictObject({
    emails: ofEmails.describe('Those that are still stored and have its id as a tag'),
    delivered: ofEmails,
    opened: ofEmails,
    clicked: ofEmails,
    bounced: ofEmails,
    delivery_delayed: ofEmails,
    complained: ofEmails,
    failed: ofEmails,
    unsubscribed: ofEmails.describe(
      'Contacts that unsubscribed with the link in one of its emails, also if that email was removed',
    ),
  })
  .meta({
    description: 'How many emails had an event of each status at least once; one email may count in several',
  })

/** Counts of the emails of a broadcast in one interval. Each email counts in the interval of its first such event. */
export const broadcastMomentSchema: z.ZodType<BroadcastMoment> = z.strictObject({
  at: z.int().describe('When the interval begins: Unix time in milliseconds'),
  delivered: ofEmails,
  opened: ofEmails,
  clicked: ofEmails,
  bounced: ofEmails,
})

/** A broadcast with its results. */
export const broadcastDetailSchema: z.ZodType<BroadcastDetail> = z.strictObject({
  ...summaryMembers,
  totals: broadcastTotalsSchema,
  timeline: z
    .strictObject({
      span_ms: z.int().describe('The length of each interval: at least one second'),
      moments: z.array(broadcastMomentSchema).max(maxMoments),
    })
    .describe(`From \`created\` to the last event, in at most ${maxMoments} intervals`),
})

/** The broadcasts to list. */
export const broadcastListQuerySchema: z.ZodType<BroadcastListQuery> = z.strictObject({
  audience_id: z.string().optional().describe('Only those to this audience'),
  cursor: z.string().nullable().optional().describe('From the previous page. Default: the first page'),
  limit: z.int().optional().describe(`Items per page, 1 to ${maxPageSize}. Default: ${defaultPageSize}`),
})
