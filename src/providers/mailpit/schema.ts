import { z } from 'zod'

const count = z.int().min(0)

/** A mailbox. */
const addressSchema = z.strictObject({
  Name: z.string().describe('`""` if there is none'),
  Address: z.string(),
})
const addresses = z.array(addressSchema)
export type Address = z.infer<typeof addressSchema>

/** An attachment of a message. */
const attachmentSchema = z.strictObject({
  PartID: z.string().describe('Its place in the multiparts: `2`, `1.3`'),
  FileName: z.string(),
  ContentType: z.string(),
  ContentID: z.string().describe('`""` if there is none'),
  Size: count,
  Checksums: z.strictObject({ MD5: z.string(), SHA1: z.string(), SHA256: z.string() }),
})
export type Attachment = z.infer<typeof attachmentSchema>

const shared = {
  ID: z.string(),
  MessageID: z.string().describe('Without angle brackets'),
  From: addressSchema,
  To: addresses,
  Cc: addresses,
  Bcc: addresses.describe('Recipients of the envelope that no To or Cc field names'),
  ReplyTo: addresses,
  Subject: z.string(),
  Username: z.string().describe('Always `""`: it is not kept'),
  Tags: z.array(z.string()),
  Size: count.describe('In bytes'),
}

/** A message in a list. */
const summarySchema = z.strictObject({
  ...shared,
  Read: z.boolean(),
  Created: z.string().describe('Arrival: ISO 8601 in UTC'),
  Attachments: count.describe('Those shown within the HTML included'),
  Snippet: z.string(),
})
export type Summary = z.infer<typeof summarySchema>

/** A page of a list of messages. */
export const summariesSchema = z.strictObject({
  total: count.describe('All messages'),
  unread: count.describe('All unread messages'),
  count: count.describe('Those on this page'),
  messages_count: count.describe('All matches'),
  messages_unread: count.describe('All unread matches'),
  start: count,
  tags: z.array(z.string()).describe('The tags of all messages, in lower case'),
  messages: z.array(summarySchema),
})
export type Summaries = z.infer<typeof summariesSchema>

/** A message in detail. */
export const messageSchema = z.strictObject({
  ...shared,
  ReturnPath: z.string(),
  ListUnsubscribe: z.strictObject({
    Header: z.string(),
    Links: z.array(z.string()),
    Errors: z.string(),
    HeaderPost: z.string(),
  }),
  Date: z.string().describe('Of the message, else of its arrival: ISO 8601 in UTC'),
  Text: z.string().describe('Made from the beginning of the HTML if there is no plain text'),
  HTML: z.string(),
  Inline: z.array(attachmentSchema),
  Attachments: z.array(attachmentSchema),
})
export type Message = z.infer<typeof messageSchema>

export const headersSchema = z.record(z.string(), z.array(z.string()))

const percent = z.number().min(0).max(100)

/** The shares of the clients, in percent. */
const shares = { Supported: percent, Partial: percent, Unsupported: percent }

/** A feature that some mail clients do not support, or only partly. */
const htmlWarningSchema = z.strictObject({
  Slug: z.string(),
  Title: z.string(),
  Description: z.string().describe('Always `""`; the page of `URL` has one'),
  URL: z.string(),
  Category: z.enum(['css', 'html']),
  Tags: z.array(z.string()),
  Keywords: z.string(),
  Results: z.array(
    z.strictObject({
      Name: z.string(),
      Platform: z.string(),
      Family: z.string(),
      Version: z.string().describe('Always `""`: the newest one'),
      Support: z.enum(['yes', 'no', 'partial']),
      NoteNumber: z.string().describe('Always `""`'),
    }),
  ),
  NotesByNumber: z.record(z.string(), z.string()),
  Score: z.strictObject({ Found: count, ...shares }),
})
export type HtmlWarning = z.infer<typeof htmlWarningSchema>

/** How mail clients support the HTML of a message. */
export const htmlCheckSchema = z.strictObject({
  Warnings: z.array(htmlWarningSchema),
  Platforms: z.record(z.string(), z.array(z.string())),
  Total: z.strictObject({ Tests: count, Nodes: count, ...shares }),
})
export type HtmlCheck = z.infer<typeof htmlCheckSchema>

/** How the links of a message answer. */
export const linkCheckSchema = z.strictObject({
  Errors: count,
  Links: z.array(
    z.strictObject({
      URL: z.string(),
      StatusCode: count.describe('0 without an answer'),
      Status: z.string().describe('Its meaning, or why there is no answer'),
    }),
  ),
})
export type LinkCheck = z.infer<typeof linkCheckSchema>

/** The report of a spam filter. */
export const spamCheckSchema = z.strictObject({
  IsSpam: z.boolean(),
  Error: z.string().describe('`""` if the filter answered'),
  Score: z.number(),
  Rules: z.array(z.strictObject({ Score: z.number(), Name: z.string(), Description: z.string() })),
})
export type SpamCheck = z.infer<typeof spamCheckSchema>

export const tagsSchema = z.array(z.string())

/** The program, and how much is stored. */
export const infoSchema = z.strictObject({
  Version: z.string(),
  LatestVersion: z.string().describe('Always `disabled`: no other host is asked'),
  Database: z.string().describe('`memory`, `folder` or `postgresql`'),
  DatabaseSize: count.describe('Always 0: it is not counted'),
  Messages: count,
  Unread: count,
  Tags: z.record(z.string(), count),
  RuntimeStats: z.strictObject({
    Uptime: count.describe('In seconds'),
    Memory: count.describe('In bytes'),
    MessagesDeleted: count.describe('Always 0: they are not counted'),
    SMTPAccepted: count.describe('The stored messages that came over SMTP'),
    SMTPAcceptedSize: count.describe('Always 0: it is not counted'),
    SMTPRejected: count.describe('Always 0: they are not counted'),
    SMTPIgnored: count.describe('Always 0: none is ignored'),
  }),
})
export type Info = z.infer<typeof infoSchema>

/** What is switched on. */
export const configurationSchema = z.strictObject({
  Label: z.string(),
  MessageRelay: z.strictObject({
    Enabled: z.boolean(),
    SMTPServer: z.string(),
    ReturnPath: z.string(),
    AllowedRecipients: z.string(),
    BlockedRecipients: z.string(),
    OverrideFrom: z.string(),
    PreserveMessageIDs: z.boolean(),
    RecipientAllowlist: z.string(),
  }),
  SpamAssassin: z.boolean(),
  ChaosEnabled: z.boolean(),
  DuplicatesIgnored: z.boolean(),
  HideDeleteAllButton: z.boolean(),
})
export type Configuration = z.infer<typeof configurationSchema>

/** An SMTP error, and how often it is answered. */
const triggerSchema = z.strictObject({ ErrorCode: z.int(), Probability: z.int().describe('In percent') })
export type Trigger = z.infer<typeof triggerSchema>

/** The triggers of SMTP errors. */
export const chaosSchema = z.strictObject({
  Sender: triggerSchema,
  Recipient: triggerSchema,
  Authentication: triggerSchema,
})
export type Chaos = z.infer<typeof chaosSchema>

/** The answer to a send. */
export const sentSchema = z.strictObject({ ID: z.string() })
