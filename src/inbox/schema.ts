import { z } from 'zod'
import { quote } from '../core/quote.ts'
import { eventStatusSchema, lastEventSchema } from '../emails/event-schema.ts'
import { emailMembers } from '../emails/schema.ts'
import { dkimResultSchema } from '../mime/schema.ts'
import { linkSchema } from '../reading/schema.ts'
import { maxTags } from '../emails/tags.ts'
import { maxListUrls } from './list-unsubscribe.ts'
import type {
  BulkChanges,
  BulkProgress,
  ListedBroadcast,
  ListedMail,
  ListUnsubscribe,
  Mail,
  MailAttachment,
  MailChanges,
  MailSummary,
  MimeTree,
  MimeTreePart,
  NestedMail,
  Removal,
  TagChanges,
  TagColor,
  TagCount,
  TranscriptLine,
} from './types.ts'

// `template_id` is not shown in the inbox.
const { from, to, subject, unread, tags, source, trace_id, template_id: _, ...detailMembers } = emailMembers

const summaryMembers = {
  id: z.string().describe('Begins with `em_`; ids sort by arrival'),
  from,
  to: to.describe('Bare addresses of the To header, `[]` without one; the envelope is in the detail'),
  to_names: z
    .array(z.string())
    .describe(
      'Display names of the first three addresses of `to`, `""` where one has none; `[]` if none of them has one',
    ),
  subject: subject.describe('Decoded, as mail programs show it; `""` if there is none'),
  snippet: z.string().describe('The beginning of the text, white space folded; `""` if there is none'),
  received: z.int().describe('Arrival: Unix time in milliseconds'),
  size_bytes: z.int().describe('Of the message; 0 while it is not written'),
  unread: unread.describe('Whether it has not been marked as read yet'),
  tags: tags.describe(
    'From the field `X-Tags` and what follows a plus in recipients, until they are changed',
  ),
  attachment_count: z.int().describe('How many files are attached, those shown within the HTML included'),
  source,
  thread: z
    .string()
    .optional()
    .describe(
      'A short key: of the first message in References, else of the one in In-Reply-To, else of its own Message-ID; absent without one, and while the message is not written. Equal for mails whose header fields name the same first message. An answer to an answer that has only In-Reply-To has another one. Senders choose it: it proves nothing',
    ),
  is_answer: z.boolean().describe('Whether References or In-Reply-To name a message other than itself'),
  trace_id,
  last_event: lastEventSchema.describe(
    'The newest event of all recipients: a bounce of one may hide behind a later delivery to another',
  ),
  outcomes: z
    .partialRecord(eventStatusSchema, z.int())
    .describe(
      'How many recipients there are by their outcome: the last status, but an opening hides neither a complaint nor a bounce nor a click',
    ),
}

/** A mail in a list of the inbox. */
export const mailSummarySchema: z.ZodType<MailSummary> = z.strictObject(summaryMembers)

/** The broadcast whose mails are one item of a list. */
export const listedBroadcastSchema: z.ZodType<ListedBroadcast> = z.strictObject({
  id: z.string(),
  subject: z
    .string()
    .describe('With its placeholders; that of its first mail where the broadcast is no longer listed'),
  emails: z.int().describe('How many of its mails are stored'),
  unread: z.int().describe('How many of them are unread'),
  outcomes: z
    .partialRecord(eventStatusSchema, z.int())
    .describe('How many of them there are by their outcome, as the outcomes of recipients'),
})

/** A mail in a list of the inbox, or all mails of a broadcast. */
export const listedMailSchema: z.ZodType<ListedMail> = z.strictObject({
  ...summaryMembers,
  broadcast: listedBroadcastSchema
    .optional()
    .describe('With `fold`: the broadcast that this mail represents; absent for a single mail'),
})

/** An attachment of a mail, as it is listed. */
export const mailAttachmentSchema: z.ZodType<MailAttachment> = z.strictObject({
  index: z.int(),
  filename: z.string().describe('As declared, else one of its type, such as `attachment-1.png`'),
  content_type: z.string(),
  size_bytes: z.int(),
  sha256: z.string(),
  content_id: z.string().nullable().describe('Without angle brackets; null if there is none'),
  disposition: z.enum(['attachment', 'inline']),
})

/** A message that is attached to a mail. */
export const nestedMailSchema: z.ZodType<NestedMail> = z.strictObject({
  headers: z.array(z.tuple([z.string(), z.string()])).describe('As those of a mail'),
  subject: z.string(),
  html: z.string(),
  text: z.string(),
  attachments: z.array(mailAttachmentSchema),
  size_bytes: z.int(),
  problem: z.string().nullable(),
})

/** A node of the MIME tree of a message. */
export const mimeTreePartSchema: z.ZodType<MimeTreePart> = z.strictObject({
  depth: z.int().describe('How many multiparts it is in'),
  content_type: z.string(),
  index: z.int().nullable().describe('Position among the parts, for their bytes; null for a multipart'),
  size_bytes: z.int().describe('Of the body as it is in the message, encoded'),
  charset: z.string().nullable(),
  encoding: z.string().nullable().describe('The transfer encoding; null for a multipart'),
  filename: z.string().nullable(),
  content_id: z.string().nullable(),
  disposition: z.enum(['attachment', 'inline']).nullable(),
  role: z
    .enum(['text', 'html', 'attachment'])
    .nullable()
    .describe('What the inbox takes it for; null for a multipart'),
})

/** The MIME tree of a message as a list, each multipart before what is in it. */
export const mimeTreeSchema: z.ZodType<MimeTree> = z.strictObject({
  parts: z.array(mimeTreePartSchema),
  problem: z.string().nullable().describe('Why this is not all, or not as the message says; null if it is'),
})

/** How a reader can unsubscribe from a list. */
export const listUnsubscribeSchema: z.ZodType<ListUnsubscribe> = z.strictObject({
  urls: z
    .array(z.string())
    .describe(`http(s) and mailto addresses, in the order of the field; at most the first ${maxListUrls}`),
  one_click: z.boolean().describe('Whether a mail client may do it with one POST, without asking (RFC 8058)'),
})

/** One line of an SMTP session. */
export const transcriptLineSchema: z.ZodType<TranscriptLine> = z.strictObject({
  from: z.enum(['client', 'server']),
  text: z.string(),
})

/** All that Localpost knows of one mail, for people and tests. */
export const mailSchema: z.ZodType<Mail> = z.strictObject({
  ...summaryMembers,
  ...detailMembers,
  headers: z
    .array(z.tuple([z.string(), z.string()]))
    .describe('The message’s header fields in their order, each with its name and its decoded value'),
  html: z
    .string()
    .describe(
      'The HTML body, decoded, of all its parts and with the plain texts that mail programs show after them; `""` if there is none',
    ),
  text: z.string().describe('The plain-text body, decoded, of all its parts; `""` if there is none'),
  links: z
    .array(linkSchema)
    .describe('Those of the HTML in its order, then those that only the text has: http, https and mailto'),
  codes: z.array(z.string()).describe('One-time codes that the mail seems to carry, in order of appearance'),
  attachments: z
    .array(mailAttachmentSchema)
    .describe('Without their bytes, which `inbox.attachment()` reads'),
  dkim: dkimResultSchema
    .nullable()
    .describe(
      'The message’s DKIM signature, verified with the keys of the account’s own domains: of its first five, one that passes, else the first; null where it has none',
    ),
  list_unsubscribe: listUnsubscribeSchema
    .nullable()
    .describe('How a reader gets off the list; null if the message does not say'),
  transcript: z
    .array(transcriptLineSchema)
    .nullable()
    .describe(
      'The SMTP session in which an app handed the message in, credentials masked; null for API sends and all but the last 1,000 submissions since the start',
    ),
  problem: z
    .string()
    .nullable()
    .describe(
      'What is not shown as the message has it: parts, header fields and addresses beyond a limit, a body of which the beginning is shown, multiparts that cannot be taken apart, unknown encodings, and bodies that are not searched for links and codes to their end; null where nothing of this applies',
    ),
})

const tagList = z.array(z.string().min(1).max(100)).max(maxTags).optional()
const changeMembers = {
  unread: z.boolean().optional(),
  tags: tagList.describe('All of them: they replace those there are'),
}

/** The members of a mail that may be changed. */
export const mailChangesSchema: z.ZodType<MailChanges> = z.strictObject(changeMembers)

/** The members of {@link BulkChanges}. */
export const bulkMembers: { readonly [Name in keyof BulkChanges]-?: z.ZodType<BulkChanges[Name]> } = {
  ...changeMembers,
  add_tags: tagList,
  remove_tags: tagList,
}

/** The change to make to each of several mails. */
export const bulkChangesSchema: z.ZodType<BulkChanges> = z.strictObject(bulkMembers)

const tagColors = ['gray', 'red', 'amber', 'green', 'teal', 'blue', 'violet', 'pink'] as const

/** The colours that a tag may have. */
export const tagColorSchema: z.ZodType<TagColor> = z.enum(tagColors, {
  error: ({ input }) =>
    input === undefined
      ? undefined
      : `must be one of ${tagColors.map((color) => quote(color)).join(', ')}, or null for the one derived from the name, not ${quote(input)}`,
})

/** A tag, and how many mails have it. */
export const tagCountSchema: z.ZodType<TagCount> = z.strictObject({
  tag: z.string().describe('In lower case'),
  count: z.int().describe('0 for a tag that no mail has and for which a colour was chosen'),
  color: tagColorSchema.optional().describe('The chosen colour; absent if it is derived from the name'),
})

/** The members of {@link TagChanges}. */
export const tagMembers: { readonly color: z.ZodType<TagChanges['color']> } = {
  color: tagColorSchema.nullable().describe('null: the colour that is derived from the name'),
}

/** The members of a tag that may be changed. */
export const tagChangesSchema: z.ZodType<TagChanges> = z.strictObject(tagMembers)

/** A change of many mails, and its progress. */
export const bulkProgressSchema: z.ZodType<BulkProgress> = z.strictObject({
  id: z.string(),
  change: z.enum(['update', 'delete']),
  state: z
    .enum(['waiting', 'running', 'done', 'cancelled', 'failed'])
    .describe('One change runs at a time; the others wait'),
  done: z.int().describe('How many of the selected mails are done'),
  total: z.int().nullable().describe('How many mails are selected; null until they are found'),
})

/** The removal of mails that can be undone. */
export const removalSchema: z.ZodType<Removal> = z.strictObject({
  id: z.string(),
  until: z.int().describe('Until when it can be undone: Unix time in milliseconds'),
})
