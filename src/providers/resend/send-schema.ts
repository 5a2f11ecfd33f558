import { z } from 'zod'
import { notSupported } from '../not-supported.ts'
import { sameId } from './same-id.ts'
import { maxAheadDays, scheduledForms } from './times.ts'

/** How many emails one batch may have. */
const maxBatch = 100
const maxRecipients = 50

const address = z.string().min(1)
const addresses = z.union([address, z.array(address).max(maxRecipients)])
const tagText = z
  .string()
  .max(256)
  .regex(/^[A-Za-z0-9_-]*$/, 'may have only ASCII letters, digits, underscores and dashes')

// Older SDKs, and those of other languages, send bytes instead of base64.
const byte = z.int().min(0).max(255)
const bytes = z.union([z.array(byte), z.strictObject({ type: z.literal('Buffer'), data: z.array(byte) })])

/** An attachment of an email. */
const attachmentSchema = z
  .strictObject({
    content: z
      .union([z.string(), bytes])
      .optional()
      .describe('The bytes in base64, or as an array of numbers'),
    path: z.string().min(1).optional().describe('The URL of the file, in place of `content`'),
    filename: z.string().min(1).optional().describe('Default: the end of `path`, or `attachment`'),
    content_type: z.string().optional().describe('Default: by the file name'),
    content_id: z.string().optional().describe('Makes it a part of the HTML body, which shows it by `cid:`'),
  })
  .refine(({ content, path }) => (content === undefined) !== (path === undefined), {
    error: 'must have either content or path',
  })
export type ResendAttachment = z.infer<typeof attachmentSchema>

const scheduledAt = z.string().describe(`${scheduledForms}; at most ${maxAheadDays} days ahead`)

const emailMembers = {
  from: z.string().optional().describe('Required, unless the template has one'),
  to: addresses.describe(`One address, or up to ${maxRecipients}`),
  cc: addresses.optional(),
  bcc: addresses.optional(),
  reply_to: addresses.optional(),
  subject: z.string().optional().describe('Required, unless the template has one'),
  html: z.string().optional(),
  text: z.string().optional().describe('Localpost makes no text of `html`'),
  headers: z.record(z.string(), z.string()).optional().describe('Further header fields'),
  tags: z
    .array(z.strictObject({ name: tagText.min(1), value: tagText }))
    .max(100)
    .optional()
    .describe('Kept as `metadata`, and in events'),
  attachments: z.array(attachmentSchema).optional(),
  scheduled_at: scheduledAt.optional(),
  template: z
    .strictObject({
      id: z.string().min(1),
      variables: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    })
    .optional()
    .describe('A template of this account, by its id or alias; without `html` and `text`'),
  topic_id: notSupported('Localpost has no topics'),
}

/** The body of `POST /resend/emails`. */
export const sendSchema = z.strictObject(emailMembers)
export type ResendEmail = z.infer<typeof sendSchema>

/** An email of a batch. */
export const batchItemSchema = z.strictObject({
  ...emailMembers,
  attachments: z.never({ error: 'is not possible in a batch. Send the email alone' }).optional(),
})

/** The body of `POST /resend/emails/batch`, as a whole: its emails are checked one by one. */
export const batchSchema = z.array(z.unknown()).min(1).max(maxBatch)

/** The same for the document. */
export const batchDocumentSchema = z.array(batchItemSchema).min(1).max(maxBatch)

/** The body of `PATCH /resend/emails/{id}`. */
export const rescheduleSchema = z.strictObject({ scheduled_at: scheduledAt, id: sameId })
