import { z } from 'zod'
import {
  lastEventSchema,
  recipientEventSchema,
  recipientStateSchema,
  recipientStatusSchema,
} from './event-schema.ts'
import type { EmailDetail, EmailListItem, EmailMembers, EmailType } from './types.ts'

const ms = z.int().describe('Unix time in milliseconds')

/** Broadcasts are made by `/dev/broadcasts`, everything else is transactional; docs/interface.md 2.1. */
export const emailTypeSchema: z.ZodType<EmailType> = z.enum(['transactional', 'broadcast'])

/** The members of an email that are stored as they are shown. Each is defined only here; answers pick from them. */
export const emailMembers: { readonly [Name in keyof EmailMembers]-?: z.ZodType<EmailMembers[Name]> } = {
  type: emailTypeSchema.describe('`broadcast` for a mail of a broadcast'),
  source: z
    .enum(['api', 'smtp'])
    .describe('Its origin: sent through `/v1` or the library, or submitted over SMTP'),
  from: z
    .string()
    .describe('Display name plus address, white space folded; `""` if a submission names no sender'),
  to: z.array(z.string()).describe('Bare addresses of the To header, in its order'),
  cc: z.array(z.string()).describe('Bare addresses of the Cc header, in its order'),
  bcc: z
    .array(z.string())
    .describe('Recipients of the envelope that no To or Cc field names; for API sends, those of the request'),
  reply_to: z.string().nullable().describe('The Reply-To header; null without one'),
  subject: z.string(),
  template_id: z.string().nullable(),
  domain_id: z.string().describe('The id of the domain of the sender'),
  envelope: z
    .strictObject({ mail_from: z.string(), rcpt_to: z.array(z.string()) })
    .describe('The addresses of MAIL FROM and RCPT TO, which the header need not name'),
  recipients: z.array(recipientStateSchema).describe('Per recipient, with the SMTP replies'),
  unread: z.boolean(),
  tags: z.array(z.string()),
  metadata: z
    .record(z.string(), z.string())
    .optional()
    .describe('Names and values of the request that are not in the message; absent without any'),
  tracking: z
    .strictObject({ opens: z.boolean().optional(), clicks: z.boolean().optional() })
    .optional()
    .describe('What the request says about tracking, in place of the domain; absent without it'),
  provider: z
    .strictObject({ name: z.string(), message_id: z.string() })
    .optional()
    .describe(
      'The interface of a provider that the email came by, and the id that its answer gave; absent for other emails',
    ),
  trace_id: z
    .string()
    .optional()
    .describe(
      'The id of the trace that the mail or its request belongs to, by `traceparent`: 32 hexadecimal digits; absent without one',
    ),
}

/** The members of an email that are stored as they are shown. */
export const emailMembersSchema: z.ZodType<EmailMembers> = z.strictObject(emailMembers)

const listMembers = {
  id: z.string(),
  type: emailMembers.type,
  to: emailMembers.to.describe('Bare addresses of the To header; those of the envelope if it has none'),
  subject: emailMembers.subject,
  last_event: lastEventSchema,
  email_sent_timestamp: ms,
}

/** An email in a list, docs/interface.md 2.1. */
export const emailListItemSchema: z.ZodType<EmailListItem> = z.strictObject({
  ...listMembers,
  recipient_statuses: z.array(recipientStatusSchema),
})

/** An email in detail, docs/interface.md 2.2. */
export const emailDetailSchema: z.ZodType<EmailDetail> = z.strictObject({
  ...listMembers,
  template_id: emailMembers.template_id,
  domain_id: emailMembers.domain_id,
  html: z.string(),
  text: z.string(),
  from: emailMembers.from,
  recipient_statuses: z.array(
    z.strictObject({ recipient: z.string(), events: z.array(recipientEventSchema) }),
  ),
})
