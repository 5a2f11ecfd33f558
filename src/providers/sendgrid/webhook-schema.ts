import { z } from 'zod'
import { constantMembers } from '../constant-members.ts'
import { notSupported } from '../not-supported.ts'
import type { SendGridEvent } from './events.ts'

/** The members of a webhook that choose its events, with the names of these. */
export const choices = {
  processed: 'processed',
  deferred: 'deferred',
  delivered: 'delivered',
  bounce: 'bounce',
  dropped: 'dropped',
  open: 'open',
  click: 'click',
  spam_report: 'spamreport',
} as const satisfies Readonly<Record<string, SendGridEvent>>
export type Choice = keyof typeof choices
export const choiceNames = Object.keys(choices) as Choice[]

/** Members of SendGrid's webhooks that ours do not have. */
export const otherMembers = {
  friendly_name: null,
  unsubscribe: false,
  group_unsubscribe: false,
  group_resubscribe: false,
} as const

const flags = z.strictObject(
  Object.fromEntries(choiceNames.map((name) => [name, z.boolean()])) as Record<Choice, z.ZodBoolean>,
)
const noOauth = notSupported('requests are signed, and have no OAuth token')
const withoutEvents = z.boolean().optional().describe('Is taken, and there is no such event here')
const url = z.string().min(1).describe('Where events are posted to')
const inputMembers = {
  friendly_name: notSupported('webhooks have no names'),
  ...flags.partial().shape,
  unsubscribe: withoutEvents,
  group_unsubscribe: withoutEvents,
  group_resubscribe: withoutEvents,
  oauth_client_id: noOauth,
  oauth_client_secret: noOauth,
  oauth_token_url: noOauth,
}

/** The body that creates a webhook. */
export const newWebhookSchema = z.strictObject({
  url,
  enabled: z.literal(true, { error: 'must be true: turn it off once it is there' }).optional(),
  ...inputMembers,
})

/** The body that changes a webhook. */
export const webhookChangesSchema = z.strictObject({
  url: url.optional(),
  enabled: z.boolean().optional().describe('Whether it gets events'),
  ...inputMembers,
})

/** A webhook as the answers to its creation and its changes show it. */
export const webhookSchema = z.strictObject({
  id: z.string(),
  url: z.string(),
  enabled: z.boolean(),
  ...flags.shape,
  ...constantMembers(otherMembers),
  created_date: z.string(),
  updated_date: z.string(),
})
export type SendGridWebhook = z.output<typeof webhookSchema>

const publicKey = z.string().describe('What the receiver checks signatures with: base64 of DER')

/** A webhook as it is read. */
export const listedWebhookSchema = z.strictObject({ ...webhookSchema.shape, public_key: publicKey })
export type SendGridListedWebhook = z.output<typeof listedWebhookSchema>

/** The key of a webhook. */
export const signedWebhookSchema = z.strictObject({ id: z.string(), public_key: publicKey })
