import { z } from 'zod'
import { attachmentMembers } from '../attachments/schema.ts'
import { pick } from '../core/pick.ts'
import { emailMembers } from '../emails/schema.ts'
import { sendMembers } from '../emails/send-schema.ts'
import { templateEngineSchema } from '../templates/schema.ts'
import type {
  ContentAttachment,
  Rendering,
  SendingRequest,
  ScheduledEmail,
  SentAttachment,
  SentEmail,
  Suppression,
  SuppressionInput,
} from './types.ts'

/** How many entries an array of a whole request may have, and how many names an object. */
export const maxWholeEntries = 1000
/** How many fields `headers` may have. */
export const maxHeaders = 100
/** How many characters the names and values of `headers` may have together. */
export const maxHeaderChars = 65_536
/** How many names `metadata` may have. */
export const maxMetadata = 100
/** How many characters the names and values of `metadata` may have together. */
export const maxMetadataChars = 32_768

const address = z.string().min(1).max(20_000)
const addresses = z.union([address, z.array(address).max(maxWholeEntries)])

const contentId = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[!-;=?-~]+$/, 'must have visible ASCII characters only, without angle brackets')
  .optional()
  .describe('Makes it a part of the HTML body, which shows it by `cid:`; without angle brackets')

const contentMembers: {
  readonly [Name in keyof ContentAttachment]-?: z.ZodType<ContentAttachment[Name]>
} = {
  name: attachmentMembers.filename,
  content: z.string().describe('The bytes in base64'),
  content_type: attachmentMembers.content_type,
  content_id: contentId,
}

/** An attachment whose bytes are in the request. */
export const contentAttachmentSchema: z.ZodType<ContentAttachment> = z.strictObject(contentMembers)

/** An attachment: where its bytes are, as in `POST /v1/emails`, or the bytes themselves. */
export const sentAttachmentSchema: z.ZodType<SentAttachment> = z.union([
  contentAttachmentSchema,
  z.strictObject({ ...attachmentMembers, content_id: contentId }),
])

/** When an email is sent: Unix time in milliseconds, or ISO 8601. */
export const sendAtSchema: z.ZodType<number | string> = z.union(
  [z.int().min(0), z.iso.datetime({ offset: true })],
  'must be Unix time in milliseconds, or ISO 8601 such as "2026-01-31T09:00:00Z"',
)

const texts = z.record(z.string(), z.string())

/** How the texts of a request are rendered. All but `engine` is for the engines `handlebars` and `mustachio`. */
export const renderingSchema: z.ZodType<Rendering> = z.strictObject({
  engine: templateEngineSchema
    .optional()
    .describe('The language of the texts of the request, unless it names a template. Default: placeholders'),
  missing: z
    .enum(['empty', 'error'])
    .optional()
    .describe(
      'What becomes of a name that `data` lacks: nothing, or the error missing_variable. Default: empty',
    ),
  escape: z
    .enum(['html', 'all', 'none'])
    .optional()
    .describe('Where `{{name}}` is escaped for HTML: in `html`, in all texts, or nowhere. Default: html'),
  helpers: z
    .enum(['basic', 'extended'])
    .optional()
    .describe(
      'The helpers of Handlebars: its own, or also equals, notEquals, greaterThan, lessThan, and, or, length, insert and formatDate. Default: extended',
    ),
})

/** The members of a whole request, each with its own schema, so that one answer can name every wrong one. */
export const sendingMembers: {
  readonly [Name in keyof SendingRequest]-?: z.ZodType<SendingRequest[Name]>
} = {
  from: sendMembers.from.optional().describe('Sender as display name plus address; required but with `raw`'),
  to: addresses
    .optional()
    .describe('Addresses with or without display names; each text may be a list. Required but with `raw`'),
  cc: addresses.optional(),
  bcc: addresses.optional(),
  reply_to: addresses.optional().describe('One address or several'),
  subject: sendMembers.subject,
  html: sendMembers.html,
  text: sendMembers.text,
  template_id: sendMembers.template_id,
  variables: sendMembers.variables,
  data: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'What the template is rendered with, in place of `variables`: any JSON, nested at most 100 levels. Placeholders take texts, numbers and truth values only',
    ),
  rendering: renderingSchema.optional(),
  headers: texts.optional().meta({
    description: `Further header fields by name: at most ${maxHeaders}, and ${maxHeaderChars} characters together. Fields that Localpost writes itself are refused`,
    maxProperties: maxHeaders,
  }),
  attachments: z.array(sentAttachmentSchema).max(maxWholeEntries).optional(),
  metadata: texts.optional().meta({
    description: `Names and values that stay with the email and are not in its message: at most ${maxMetadata}, and ${maxMetadataChars} characters together`,
    maxProperties: maxMetadata,
  }),
  tags: z
    .array(z.string().min(1).max(1000))
    .max(maxWholeEntries)
    .optional()
    .describe('Tags of the mail in the inbox; the first 50, each cut to 100 characters'),
  raw: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A whole MIME message in base64, in place of the members above. Its Bcc fields are removed, and it is signed; all other bytes stay',
    ),
  envelope: z
    .strictObject({
      mail_from: z.string().min(1).max(1000).optional().describe('Default: the address of From'),
      rcpt_to: z
        .array(z.string().min(1).max(1000))
        .min(1)
        .max(maxWholeEntries)
        .optional()
        .describe('Default: the addresses of To, Cc and Bcc'),
    })
    .optional()
    .describe('The addresses that a `raw` message is sent from and to'),
  send_at: sendAtSchema
    .optional()
    .describe(
      'When to send it: Unix time in milliseconds, or ISO 8601 with Z or an offset; at most 10 years ahead. What is past is sent at once',
    ),
  tracking: emailMembers.tracking.describe(
    'In place of the settings of the domain. A `raw` message is never tracked',
  ),
  ignore_suppressions: z
    .boolean()
    .optional()
    .describe('Whether recipients on the suppression list get it too. Default: false'),
  provider: z
    .strictObject({
      name: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'must be a lower-case name'),
      message_id: z.string().min(1).max(300),
    })
    .optional()
    .describe('The interface that the request came by, and the id that its answer gave'),
}

/** A whole request: what `POST /dev/emails`, the library and the interfaces of providers send. */
export const sendingRequestSchema: z.ZodType<SendingRequest> = z.strictObject(sendingMembers).meta({
  description: 'At least one non-empty `html`, `text`, `template_id` or `raw` is required.',
  example: {
    from: 'Acme <hi@acme.test>',
    to: ['Ada <ada@example.com>', 'bob@example.com'],
    subject: 'Your invoice',
    text: 'Hello',
    headers: { 'X-Order': '17' },
    metadata: { order: '17' },
    attachments: [{ name: 'invoice.txt', content: 'VG90YWw6IDE3' }],
  },
})

/** The answer to one request. */
export const sentEmailSchema: z.ZodType<SentEmail> = z.strictObject({
  id: z.string().describe('Of the email; of one that is sent later, of the scheduled one'),
  warnings: z.array(z.string()),
  message_id: z.string().optional().describe('`provider.message_id` of the request; absent without one'),
})

/** The members of an email that a scheduled one shows. */
export const scheduledNames = [
  'from',
  'to',
  'cc',
  'bcc',
  'reply_to',
  'subject',
  'template_id',
  'envelope',
  'tags',
  'metadata',
  'tracking',
  'provider',
] as const

/** An email that is sent later. */
export const scheduledEmailSchema: z.ZodType<ScheduledEmail> = z.strictObject({
  id: z.string().describe('Begins with `sch_`; the email gets an id of its own when it is sent'),
  send_at: z.int().describe('When it is sent: Unix time in milliseconds'),
  created: z.int().describe('When it was accepted: Unix time in milliseconds'),
  ...pick(emailMembers, scheduledNames),
})

const reason = z.enum(['bounce', 'complaint', 'manual'])

/** An entry of the suppression list. */
export const suppressionSchema: z.ZodType<Suppression> = z.strictObject({
  address: z.string().describe('Bare'),
  reason,
  created: z.int().describe('When it was added: Unix time in milliseconds'),
  email_id: z.string().optional().describe('The email whose event added it; absent without one'),
})

/** The body of `POST /dev/suppressions`. */
export const suppressionInputSchema: z.ZodType<SuppressionInput> = z
  .strictObject({
    address: z.string().min(1).max(1000).describe('Bare, without a display name'),
    reason: reason.optional().describe('Default: manual'),
  })
  .meta({ example: { address: 'ada@example.com' } })
