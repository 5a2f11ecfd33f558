import { z } from 'zod'
import type { EmailContent, EmailRecord } from '../../emails/email.ts'
import { outcomeOf } from '../../emails/events.ts'
import type { EmailEvent } from '../../emails/types.ts'
import { idAt } from '../event-facts.ts'
import { newDeactivationOf, toBounce } from './bounce.ts'
import { labelsOf, postmark, toTime } from './conventions.ts'

/** An address in an answer. */
const recipientSchema = z.strictObject({
  Email: z.string(),
  Name: z.string().describe('`""` if it has none'),
})
type PostmarkRecipient = z.infer<typeof recipientSchema>

const recipients = z.array(recipientSchema)
export const statuses = ['Queued', 'Sent', 'Processed'] as const

/** An email in the list. */
export const messageSchema = z.strictObject({
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
})
type PostmarkMessage = z.infer<typeof messageSchema>

/** Why the member `Body` of an answer may be `""`: the message is not stored yet, or too large for an answer. */
export const emptyBody = '`""` before it is written, and above 5 MB'

/** An email in detail. */
export const messageDetailsSchema = z.strictObject({
  ...messageSchema.shape,
  TextBody: z.string(),
  HtmlBody: z.string(),
  Body: z.string().describe(`The message as it was sent; ${emptyBody}`),
  MessageEvents: z.array(
    z.strictObject({
      Recipient: z.string(),
      Type: z.enum(['Delivered', 'Transient', 'Bounced', 'Opened', 'LinkClicked', 'SubscriptionChanged']),
      ReceivedAt: z.string(),
      Details: z.record(z.string(), z.union([z.string(), z.number()])),
    }),
  ),
})
type PostmarkMessageDetails = z.infer<typeof messageDetailsSchema>
type PostmarkEvent = PostmarkMessageDetails['MessageEvents'][number]

/** @param names  Of its attachments. */
export function toMessage(email: EmailRecord, names: readonly string[]): PostmarkMessage {
  const { to, to_names, cc, cc_names, bcc, bcc_names, envelope, tracking } = email
  return {
    ...labelsOf(email),
    MessageID: idAt(postmark, email),
    To: toRecipients(to, to_names),
    Cc: toRecipients(cc, cc_names),
    Bcc: toRecipients(bcc, bcc_names),
    Recipients: envelope.rcpt_to,
    ReceivedAt: toTime(email.created),
    From: email.from,
    Subject: email.subject,
    Attachments: [...names],
    Status: statusOf(email),
    TrackOpens: tracking?.opens ?? false,
    TrackLinks: tracking?.clicks ? 'HtmlOnly' : 'None',
    Sandboxed: false,
  }
}

/** @param raw  The message as it was sent. */
export function toMessageDetails(
  email: EmailRecord,
  { text, html, names, raw }: EmailContent & { names: readonly string[]; raw: string },
): PostmarkMessageDetails {
  const MessageEvents = email.recipients
    .flatMap(({ recipient, events }) => events.flatMap((event) => toEvent(email, recipient, event)))
    .sort((a, b) => (a.ReceivedAt < b.ReceivedAt ? -1 : a.ReceivedAt > b.ReceivedAt ? 1 : 0))
  return { ...toMessage(email, names), TextBody: text, HtmlBody: html, Body: raw, MessageEvents }
}

/** What has happened to an email, in the words of Postmark. */
export function statusOf({ recipients }: Pick<EmailRecord, 'recipients'>): PostmarkMessage['Status'] {
  const outcomes = recipients.map(({ events }) => outcomeOf(events) ?? 'sent')
  if (outcomes.every((outcome) => outcome === 'sent')) return 'Queued'
  return outcomes.some((outcome) => outcome === 'sent' || outcome === 'delivery_delayed')
    ? 'Processed'
    : 'Sent'
}

function toRecipients(addresses: readonly string[], names: readonly string[] = []): PostmarkRecipient[] {
  return addresses.map((Email, i) => ({ Email, Name: names[i] ?? '' }))
}

function toEvent(email: EmailRecord, Recipient: string, event: EmailEvent): PostmarkEvent[] {
  const made = (Type: PostmarkEvent['Type'], Details: PostmarkEvent['Details']): PostmarkEvent => ({
    Recipient,
    Type,
    ReceivedAt: toTime(event.timestamp),
    Details,
  })
  switch (event.status) {
    case 'sent':
      return []
    case 'delivered':
      return [made('Delivered', toDelivery(event.smtp_response, event.reporting_mta))]
    case 'delivery_delayed':
      return [made('Transient', toDelivery(event.smtp_response ?? '', ''))]
    case 'opened':
      return [made('Opened', { Summary: `Email opened with ${event.user_agent}` })]
    case 'clicked': {
      const Summary = `Link clicked with ${event.user_agent}`
      return [made('LinkClicked', { Summary, Link: event.link, ClickLocation: 'HTML' })]
    }
    case 'bounced':
    case 'complained':
    case 'failed': {
      const bounce = toBounce({ email, recipient: Recipient, event })
      if (!bounce) return []
      const bounced = made('Bounced', { Summary: bounce.Details, BounceID: bounce.ID })
      const deactivation = newDeactivationOf(bounce)
      if (!deactivation) return [bounced]
      const { Origin, SuppressionReason } = deactivation
      return [bounced, made('SubscriptionChanged', { Origin, SuppressSending: 'True', SuppressionReason })]
    }
  }
}

function toDelivery(DeliveryMessage: string, DestinationServer: string): PostmarkEvent['Details'] {
  return { DeliveryMessage, DestinationServer, DestinationIP: '' }
}
