import type { WebhookShape } from '../webhooks/shape.ts'
import { mailgunShape } from './mailgun/events.ts'
import { postmarkShape } from './postmark/events.ts'
import { resendShape } from './resend/events.ts'
import { sendgridShape } from './sendgrid/events.ts'
import { sesShape } from './ses/events.ts'

/** How the webhooks of providers write events. */
export const webhookShapes: readonly WebhookShape[] = [
  resendShape,
  sesShape,
  postmarkShape,
  sendgridShape,
  mailgunShape,
]
