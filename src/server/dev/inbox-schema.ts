import { z } from 'zod'
import { eventStatuses } from '../../emails/email.ts'
import { lastEventSchema } from '../../emails/schema.ts'
import type { BulkChanges } from '../../inbox/bulk.ts'
import type { Check } from '../../inbox/checks.ts'
import type { Mail, MailSummary } from '../../inbox/mail.ts'

const summaryMembers = {
  id: z.string(),
  from: z.string(),
  to: z.array(z.string()).describe('Bare addresses of the To header'),
  subject: z.string(),
  snippet: z.string().describe('The beginning of the text'),
  received: z.int().describe('Unix time in milliseconds'),
  size_bytes: z.int().describe('Of the message; 0 while it is not written'),
  unread: z.boolean(),
  tags: z.array(z.string()),
  attachment_count: z.int(),
  source: z.enum(['api', 'smtp']),
  last_event: lastEventSchema,
  outcomes: z
    .partialRecord(z.enum(eventStatuses), z.int())
    .describe(
      'How many recipients there are by what became of them: the last status, but an opening hides neither a complaint nor a bounce nor a click',
    ),
}

/** A mail in a list of the inbox. */
export const mailSummarySchema: z.ZodType<MailSummary> = z.strictObject(summaryMembers)

const attachment = z.strictObject({
  index: z.int(),
  filename: z.string(),
  content_type: z.string(),
  size_bytes: z.int(),
  sha256: z.string(),
  content_id: z.string().nullable().describe('Without angle brackets'),
  disposition: z.enum(['attachment', 'inline']),
})

// Events as stored; the domain's own types say which members go with which status.
const event = z.looseObject({ status: z.string(), timestamp: z.int() })

/** A mail in detail. */
export const mailSchema: z.ZodType = z.strictObject({
  ...summaryMembers,
  type: z.enum(['transactional', 'broadcast']),
  domain_id: z.string(),
  cc: z.array(z.string()),
  bcc: z.array(z.string()),
  reply_to: z.string().nullable(),
  headers: z.array(z.tuple([z.string(), z.string()])).describe('Decoded, in their order'),
  html: z.string(),
  text: z.string(),
  links: z.array(z.strictObject({ href: z.string(), text: z.string() })),
  codes: z.array(z.string()).describe('One-time codes that the mail seems to carry'),
  attachments: z.array(attachment),
  envelope: z.strictObject({ mail_from: z.string(), rcpt_to: z.array(z.string()) }),
  recipients: z.array(z.strictObject({ recipient: z.string(), events: z.array(event) })),
  dkim: z
    .strictObject({
      domain: z.string(),
      selector: z.string(),
      result: z.enum(['pass', 'fail', 'no_key', 'invalid']),
      reason: z.string().nullable(),
    })
    .nullable()
    .describe('Verified with the keys of the account’s own domains; of foreign ones there is `no_key`'),
  list_unsubscribe: z
    .strictObject({ urls: z.array(z.string()), one_click: z.boolean() })
    .nullable()
    .describe('List-Unsubscribe, and whether one POST is enough (RFC 8058)'),
  transcript: z
    .array(z.strictObject({ from: z.enum(['client', 'server']), text: z.string() }))
    .nullable()
    .describe('The SMTP session of a submission; null for API sends and all but the last 1,000 submissions'),
  problem: z
    .string()
    .nullable()
    .describe('Why the message could not be read, or searched for links and codes, in full'),
} satisfies Record<keyof Mail, z.ZodType>)

/** What a wait ends with: a mail, or `emails` where it was for a number of them. */
export const awaitedSchema: z.ZodType = z.union([
  mailSchema,
  z.strictObject({ emails: z.array(mailSchema).describe('Newest first') }),
])

/** What was looked at in a mail. */
export const checksSchema: z.ZodType<{ checks: Check[] }> = z.strictObject({
  checks: z.array(
    z.strictObject({
      name: z.string(),
      verdict: z.enum(['pass', 'warning', 'fail', 'info']),
      message: z.string().describe('In a sentence'),
      details: z.array(z.string()).describe('Where and what'),
    }),
  ),
})

/** What may be changed of a mail. */
export const mailChangesSchema: z.ZodType<{ unread?: boolean | undefined; tags?: string[] | undefined }> =
  z.object({
    unread: z.boolean().optional(),
    tags: z
      .array(z.string().min(1).max(100))
      .max(100)
      .optional()
      .describe('All of them: they replace those there are'),
  })

/** Whom a mail is released to. */
export const releaseSchema: z.ZodType<{ to: string }> = z.object({
  to: z.string().min(1).describe('One address'),
})

/** What came of a release. */
export const releasedSchema: z.ZodType<{ id: string; to: string; smtp_response: string }> = z.strictObject({
  id: z.string(),
  to: z.string(),
  smtp_response: z.string().describe('What the relay said'),
})

/** A page of the inbox. */
export const foundSchema: z.ZodType = z.strictObject({
  emails: z.array(mailSummarySchema),
  count: z.int().describe('All items, the same on every page'),
  cursor: z.string().nullable().describe('What the next page is asked for with; null on the last page'),
  unread_texts: z
    .int()
    .optional()
    .describe('How many mails wait to be read, so that the search may miss them; absent where none does'),
})

const ids = z.array(z.string().max(100)).max(500).optional().describe('Mails by their ids')

/** The body of `DELETE /dev/inbox`. */
export const idsSchema: z.ZodType<{ ids?: string[] | undefined }> = z.object({ ids })

const tagList = z.array(z.string().min(1).max(100)).max(50).optional()

/** The body of `PATCH /dev/inbox`. */
export const bulkChangesSchema: z.ZodType<BulkChanges & { ids?: string[] }> = z.object({
  ids,
  unread: z.boolean().optional(),
  tags: tagList.describe('All of them: they replace those there are'),
  add_tags: tagList,
  remove_tags: tagList,
})

/** How many mails there were to change. */
export const updatedSchema: z.ZodType<{ updated: number }> = z.strictObject({ updated: z.int() })

/** The body of `POST /dev/inbox/import`: bytes, which the inbox checks. */
export const messageSchema: z.ZodType<Uint8Array> = z.custom<Uint8Array>(
  (value) => value instanceof Uint8Array,
)

/** What an import made. */
export const importedSchema: z.ZodType<{ id: string }> = z.strictObject({ id: z.string() })
