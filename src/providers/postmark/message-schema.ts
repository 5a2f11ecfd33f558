import { z } from 'zod'
import { checkPage, pageMembers, queryName, queryTime } from './page-query.ts'

/** An address in an answer. */
const recipientSchema = z.strictObject({
  Email: z.string(),
  Name: z.string().describe('`""` if it has none'),
})
export type PostmarkRecipient = z.infer<typeof recipientSchema>

const recipients = z.array(recipientSchema)
const statuses = ['Queued', 'Sent', 'Processed'] as const

const messageMembers = {
  Tag: z.string().describe('`""` if it has none'),
  MessageID: z.string(),
  MessageStream: z.string(),
  To: recipients,
  Cc: recipients,
  Bcc: recipients,
  Recipients: z.array(z.string()),
  ReceivedAt: z.string(),
  From: z.string(),
  Subject: z.string(),
  Attachments: z.array(z.string()).describe('Their names'),
  Status: z
    .enum(statuses)
    .describe(
      '`Queued` until the first delivery was tried, `Processed` while a recipient waits for another try',
    ),
  TrackOpens: z.boolean(),
  TrackLinks: z.enum(['None', 'HtmlOnly']),
  Metadata: z.record(z.string(), z.string()),
  Sandboxed: z.literal(false),
}

/** An email in the list. */
export const messageSchema = z.strictObject(messageMembers)
export type PostmarkMessage = z.infer<typeof messageSchema>

/** An email in detail. */
export const messageDetailsSchema = z.strictObject({
  ...messageMembers,
  TextBody: z.string(),
  HtmlBody: z.string(),
  Body: z.string().describe('The message as it was sent; `""` before it is written, and above 5 MB'),
  MessageEvents: z.array(
    z.strictObject({
      Recipient: z.string(),
      Type: z.enum(['Delivered', 'Transient', 'Bounced', 'Opened', 'LinkClicked', 'SubscriptionChanged']),
      ReceivedAt: z.string(),
      Details: z.record(z.string(), z.union([z.string(), z.number()])),
    }),
  ),
})
export type PostmarkMessageDetails = z.infer<typeof messageDetailsSchema>

const text = z.string().min(1).max(1000).optional()

const queryMembers = {
  ...pageMembers,
  recipient: text.describe('A part of an address'),
  fromemail: text.describe('A part of the sender'),
  tag: text,
  status: queryName(statuses),
  fromdate: queryTime('start'),
  todate: queryTime('end'),
  subject: text.describe('A part of the subject'),
  messagestream: text,
}

/** The query of the list. Names of metadata follow `metadata_`. */
export const messageQuery = z
  .object(queryMembers)
  .catchall(z.string())
  .superRefine((query, context) => {
    checkPage(query, context)
    const further = Object.keys(query).filter((name) => !Object.hasOwn(queryMembers, name))
    for (const name of further)
      if (!name.startsWith('metadata_'))
        context.addIssue({ code: 'custom', path: [name], message: 'is not a member of this query' })
  })

/** @see {@link messageQuery} */
export type MessageQuery = z.infer<typeof messageQuery>
