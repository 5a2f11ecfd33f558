import type { EmailEvent } from '../../emails/types.ts'
import type { ShapedConfirmation, ShapedEvent, WebhookShape } from '../../webhooks/shape.ts'
import { enhancedCodeIn, eventKey, idAt } from '../event-facts.ts'
import { uuidOf } from '../uuid.ts'
import { configurationSetTag, ses, topicArnOf } from './conventions.ts'

/** The type of the event that SES has for each of ours. */
const types = {
  sent: 'Send',
  delivered: 'Delivery',
  delivery_delayed: 'DeliveryDelay',
  bounced: 'Bounce',
  complained: 'Complaint',
  failed: 'Reject',
  opened: 'Open',
  clicked: 'Click',
} as const satisfies Record<EmailEvent['status'], string>

/** The same table by the types of SES, as webhooks choose them. */
const events = Object.fromEntries(
  Object.entries(types).map(([status, type]) => [type, `email.${status as EmailEvent['status']}` as const]),
)

/** What SNS posts: a JSON object of strings. The headers of the request repeat these three. */
interface SnsMessage extends Readonly<Record<string, string>> {
  readonly Type: string
  readonly MessageId: string
  readonly TopicArn: string
}

/**
 * The message with which SNS asks an HTTP endpoint to confirm its subscription. It is not signed, as no message of SNS is here.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/http-subscription-confirmation-json.html
 */
const snsConfirmation: ShapedConfirmation = {
  body({ webhookId, token, url, time }): SnsMessage {
    const TopicArn = topicArnOf(webhookId)
    return {
      Type: 'SubscriptionConfirmation',
      MessageId: uuidOf(token),
      Token: token,
      TopicArn,
      Message: `You have chosen to subscribe to the topic ${TopicArn}.\nTo confirm the subscription, visit the SubscribeURL included in this message.`,
      SubscribeURL: url,
      Timestamp: new Date(time).toISOString(),
      SignatureVersion: '1',
      Signature: '',
      SigningCertURL: '',
    }
  },
  answer(webhookId) {
    const id = uuidOf(webhookId)
    const result = `<ConfirmSubscriptionResult><SubscriptionArn>${topicArnOf(webhookId)}:${id}</SubscriptionArn></ConfirmSubscriptionResult>`
    const metadata = `<ResponseMetadata><RequestId>${id}</RequestId></ResponseMetadata>`
    const text = `<ConfirmSubscriptionResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/">${result}${metadata}</ConfirmSubscriptionResponse>`
    return { type: 'text/xml; charset=utf-8', text }
  },
}

/**
 * Webhooks as SNS posts the events of SES to an HTTP subscription. They are not signed: that takes a key of Amazon.
 *
 * @see https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
 */
export const sesShape: WebhookShape = {
  name: ses,
  events,
  email(given, webhookId) {
    const eventType = types[given.event.status]
    const id = uuidOf(eventKey(given))
    return {
      type: eventType,
      body: {
        Type: 'Notification',
        MessageId: id,
        TopicArn: topicArnOf(webhookId),
        Subject: 'Amazon SES Email Event Notification',
        Message: JSON.stringify({ eventType, mail: toMail(given), ...detailOf(given, id) }),
        Timestamp: toTime(given.event.timestamp),
        SignatureVersion: '1',
        Signature: '',
        SigningCertURL: '',
        UnsubscribeURL: '',
      } satisfies SnsMessage,
    }
  },
  headers({ body }) {
    // The text of a body from above: that of an event, or of the confirmation.
    const { Type, MessageId, TopicArn } = JSON.parse(body) as SnsMessage
    return {
      'content-type': 'text/plain; charset=UTF-8',
      'x-amz-sns-message-type': Type,
      'x-amz-sns-message-id': MessageId,
      'x-amz-sns-topic-arn': TopicArn,
    }
  },
  confirmation: snsConfirmation,
}

const toTime = (milliseconds: number): string => new Date(milliseconds).toISOString()

function toMail({ email }: ShapedEvent): object {
  const { created, from, to, cc, subject, envelope, metadata = {}, reply_to, message } = email
  const messageId = idAt(ses, email)
  const fields: [name: string, value: string | undefined][] = [
    ['From', from],
    ['Reply-To', reply_to ?? undefined],
    ['To', to.join(', ') || undefined],
    ['Cc', cc.join(', ') || undefined],
    ['Message-ID', message?.message_id || undefined],
    ['Subject', subject],
  ]
  const { [configurationSetTag]: set, ...tags } = metadata
  return {
    timestamp: toTime(created),
    source: envelope.mail_from,
    messageId,
    destination: envelope.rcpt_to,
    headersTruncated: true,
    headers: fields.flatMap(([name, value]) => (value === undefined ? [] : { name, value })),
    commonHeaders: {
      from: [from],
      replyTo: reply_to === null ? undefined : [reply_to],
      to,
      cc: cc.length > 0 ? cc : undefined,
      messageId,
      subject,
    },
    tags: {
      [configurationSetTag]: set === undefined ? undefined : [set],
      ...Object.fromEntries(Object.entries(tags).map(([name, value]) => [name, [value]])),
    },
  }
}

function detailOf({ recipient, event }: ShapedEvent, feedbackId: string): object {
  const timestamp = toTime(event.timestamp)
  const reply = 'smtp_response' in event ? event.smtp_response : undefined
  const failed = {
    emailAddress: recipient,
    status: reply && enhancedCodeIn(reply),
    diagnosticCode: reply === undefined ? undefined : `smtp; ${reply}`,
  }
  switch (event.status) {
    case 'sent':
      return { send: {} }
    case 'delivered': {
      const { processing_time_millis, reporting_mta, smtp_response } = event
      const times = { timestamp, processingTimeMillis: processing_time_millis }
      const delivery = { recipients: [recipient], smtpResponse: smtp_response, reportingMTA: reporting_mta }
      return { delivery: { ...times, ...delivery } }
    }
    case 'delivery_delayed':
      return { deliveryDelay: { timestamp, delayType: 'General', delayedRecipients: [failed] } }
    case 'bounced': {
      const { type: bounceType, subtype: bounceSubType, reporting_mta } = event
      const bouncedRecipients = [{ action: 'failed', ...failed }]
      const reportingMTA = reporting_mta === undefined ? undefined : `dns; ${reporting_mta}`
      return { bounce: { feedbackId, timestamp, bounceType, bounceSubType, bouncedRecipients, reportingMTA } }
    }
    case 'complained': {
      const complainedRecipients = [{ emailAddress: recipient }]
      return { complaint: { feedbackId, timestamp, complaintSubType: null, complainedRecipients } }
    }
    case 'failed':
      return { reject: { reason: event.reason } }
    case 'opened':
      return { open: { timestamp, ipAddress: event.ip, userAgent: event.user_agent } }
    case 'clicked': {
      const visit = { timestamp, ipAddress: event.ip, userAgent: event.user_agent }
      return { click: { ...visit, link: event.link, linkTags: null } }
    }
  }
}
