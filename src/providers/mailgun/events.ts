import { createHash, createHmac } from 'node:crypto'
import type { WebhookShape } from '../../webhooks/shape.ts'
import type { EmailEventType } from '../../webhooks/types.ts'
import { mailgun } from './conventions.ts'
import { kindOf, toEventData } from './event-data.ts'

/** The events that a webhook can ask for, and ours of which they are made. */
const events = {
  accepted: 'email.sent',
  rejected: 'email.failed',
  delivered: 'email.delivered',
  permanent_fail: 'email.bounced',
  temporary_fail: 'email.delivery_delayed',
  opened: 'email.opened',
  clicked: 'email.clicked',
  complained: 'email.complained',
} as const satisfies Readonly<Record<string, EmailEventType>>
type MailgunEvent = keyof typeof events
export const webhookEventNames = Object.keys(events) as readonly MailgunEvent[]

/**
 * Webhooks as Mailgun posts them, with the signature in the body. The signing key is the secret of the webhook.
 *
 * @see https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks
 */
export const mailgunShape: WebhookShape = {
  name: mailgun,
  events,
  email(given) {
    const { event, severity } = kindOf(given.event)
    const type: MailgunEvent = event === 'failed' ? `${severity ?? 'permanent'}_fail` : event
    return { type, body: { 'event-data': toEventData(given) } }
  },
  body({ id, time, body, secret }) {
    const timestamp = String(Math.floor(time.getTime() / 1000))
    // Another one for every try, as receivers refuse a token that they know.
    const token = createHash('sha256').update(`${id}\n${time.getTime()}`).digest('hex').slice(0, 50)
    const signature = createHmac('sha256', secret)
      .update(timestamp + token)
      .digest('hex')
    return JSON.stringify({ signature: { timestamp, token, signature }, ...(JSON.parse(body) as object) })
  },
  headers: () => ({}),
}
