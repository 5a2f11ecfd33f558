import type { SimulatorNames } from '../rules/simulator.ts'
import type { WebhookShape } from '../webhooks/shape.ts'
import { mailgunShape } from './mailgun/events.ts'
import { postmarkShape } from './postmark/events.ts'
import { postmarkSimulator } from './postmark/simulator.ts'
import { resendSimulator } from './resend/simulator.ts'
import { resendShape } from './resend/events.ts'
import { sendgridShape } from './sendgrid/events.ts'
import { sesShape } from './ses/events.ts'

// What every instance needs of providers, also one whose HTTP interface is never used.

/** How the webhooks of providers write events. */
export const webhookShapes: readonly WebhookShape[] = [
  resendShape,
  sesShape,
  postmarkShape,
  sendgridShape,
  mailgunShape,
]

/** The addresses of providers whose mail has a certain outcome. */
export const providerSimulators: readonly SimulatorNames[] = [resendSimulator, postmarkSimulator]

/**
 * The providers that apps send through, each by the first segment of its paths. Each has a member in `post.providers`, and faults.
 * Mailpit and MailHog, whose APIs read mail, are only in `providers.ts`.
 */
export const providerNames = ['resend', 'ses', 'ses-v1', 'postmark', 'sendgrid', 'mailgun'] as const

/** The name of a provider: `resend`. */
export type ProviderName = (typeof providerNames)[number]
