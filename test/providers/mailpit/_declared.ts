import { z } from 'zod'

/** The answers that the client `mailpit-api` 2.1 declares, with every member. */

const text = z.string()
const number = z.number()
const address = z.strictObject({ Name: text, Address: text })
const addresses = z.array(address)
const attachment = z.strictObject({
  PartID: text,
  FileName: text,
  ContentType: text,
  ContentID: text,
  Size: number,
  Checksums: z.strictObject({ MD5: text, SHA1: text, SHA256: text }),
})
const moment = text.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/)

export const listed: z.ZodType = z.strictObject({
  Attachments: number,
  Bcc: addresses,
  Cc: addresses,
  Created: moment,
  From: address,
  ID: text,
  MessageID: text,
  Read: z.boolean(),
  ReplyTo: addresses,
  Size: number,
  Snippet: text,
  Subject: text,
  Tags: z.array(text),
  To: addresses,
  Username: text.optional(),
})

const page = z.strictObject({
  messages: z.array(listed),
  messages_count: number,
  messages_unread: number,
  start: number,
  tags: z.array(text),
  total: number,
  unread: number,
  count: number,
})

const message = z.strictObject({
  Attachments: z.array(attachment),
  Bcc: addresses,
  Cc: addresses,
  Date: moment,
  From: address,
  HTML: text,
  ID: text,
  Inline: z.array(attachment),
  ListUnsubscribe: z.strictObject({ Errors: text, Header: text, HeaderPost: text, Links: z.array(text) }),
  MessageID: text,
  ReplyTo: addresses,
  ReturnPath: text,
  Size: number,
  Subject: text,
  Tags: z.array(text),
  Text: text,
  To: addresses,
  Username: text.optional(),
})

const trigger = z.strictObject({ ErrorCode: number, Probability: number })
const chaos = z.strictObject({ Authentication: trigger, Recipient: trigger, Sender: trigger })

const htmlCheck = z.strictObject({
  Platforms: z.record(text, z.array(text)),
  Total: z.strictObject({
    Nodes: number,
    Partial: number,
    Supported: number,
    Tests: number,
    Unsupported: number,
  }),
  Warnings: z.array(
    z.strictObject({
      Category: z.enum(['css', 'html']),
      Description: text,
      Keywords: text,
      NotesByNumber: z.record(text, text),
      Results: z.array(
        z.strictObject({
          Family: text,
          Name: text,
          NoteNumber: text,
          Platform: text,
          Support: z.enum(['yes', 'no', 'partial']),
          Version: text,
        }),
      ),
      Score: z.strictObject({ Found: number, Partial: number, Supported: number, Unsupported: number }),
      Slug: text,
      Tags: z.array(text),
      Title: text,
      URL: text,
    }),
  ),
})

/** By the operation. Those that are missing answer bytes, or `ok`. */
export const declared: Readonly<Record<string, z.ZodType>> = {
  'GET /api/v1/messages': page,
  'GET /api/v1/search': page,
  'GET /api/v1/message/{id}': message,
  'GET /api/v1/message/{id}/headers': z.record(text, z.array(text)),
  'GET /api/v1/message/{id}/html-check': htmlCheck,
  'GET /api/v1/message/{id}/link-check': z.strictObject({
    Errors: number,
    Links: z.array(z.strictObject({ Status: text, StatusCode: number, URL: text })),
  }),
  'GET /api/v1/message/{id}/sa-check': z.strictObject({
    Error: text,
    IsSpam: z.boolean(),
    Rules: z.array(z.strictObject({ Description: text, Name: text, Score: number })),
    Score: number,
  }),
  'GET /api/v1/tags': z.array(text),
  'GET /api/v1/info': z.strictObject({
    Database: text,
    DatabaseSize: number,
    LatestVersion: text,
    Messages: number,
    RuntimeStats: z.strictObject({
      Memory: number,
      MessagesDeleted: number,
      SMTPAccepted: number,
      SMTPAcceptedSize: number,
      SMTPIgnored: number,
      SMTPRejected: number,
      Uptime: number,
    }),
    Tags: z.record(text, number),
    Unread: number,
    Version: text,
  }),
  'GET /api/v1/webui': z.strictObject({
    ChaosEnabled: z.boolean(),
    DuplicatesIgnored: z.boolean(),
    HideDeleteAllButton: z.boolean(),
    Label: text,
    MessageRelay: z.strictObject({
      AllowedRecipients: text,
      BlockedRecipients: text,
      Enabled: z.boolean(),
      OverrideFrom: text,
      PreserveMessageIDs: z.boolean(),
      RecipientAllowlist: text,
      ReturnPath: text,
      SMTPServer: text,
    }),
    SpamAssassin: z.boolean(),
  }),
  'GET /api/v1/chaos': chaos,
  'PUT /api/v1/chaos': chaos,
  'POST /api/v1/send': z.strictObject({ ID: text }),
}
