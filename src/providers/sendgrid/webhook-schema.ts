import { z } from 'zod'
import { notSupported } from '../not-supported.ts'

/** The events of Localpost, as members that choose them. */
const wanted = z.strictObject({
  processed: z.boolean(),
  deferred: z.boolean(),
  delivered: z.boolean(),
  bounce: z.boolean(),
  dropped: z.boolean(),
  open: z.boolean(),
  click: z.boolean(),
  spam_report: z.boolean(),
})
const withoutEvents = z.boolean().optional().describe('Is taken, and there is no such event here')

const noOauth = notSupported('requests are signed, and have no OAuth token')

const url = z.string().min(1).describe('Where events are posted to')
const choices = {
  friendly_name: notSupported('webhooks have no names'),
  ...wanted.partial().shape,
  unsubscribe: withoutEvents,
  group_unsubscribe: withoutEvents,
  group_resubscribe: withoutEvents,
  oauth_client_id: noOauth,
  oauth_client_secret: noOauth,
  oauth_token_url: noOauth,
}

/** The body of `POST /sendgrid/v3/user/webhooks/event/settings`. */
export const newWebhookSchema = z.strictObject({
  url,
  enabled: z.literal(true, { error: 'must be true: turn it off once it is there' }).optional(),
  ...choices,
})
export type SendGridNewWebhook = z.infer<typeof newWebhookSchema>

/** The body of `PATCH /sendgrid/v3/user/webhooks/event/settings/{id}`. */
export const webhookChangesSchema = z.strictObject({
  url: url.optional(),
  enabled: z.boolean().optional().describe('Whether it gets events'),
  ...choices,
})
export type SendGridWebhookChanges = z.infer<typeof webhookChangesSchema>

const webhookMembers = {
  id: z.string(),
  url: z.string(),
  enabled: z.boolean(),
  friendly_name: z.null(),
  ...wanted.shape,
  unsubscribe: z.literal(false),
  group_unsubscribe: z.literal(false),
  group_resubscribe: z.literal(false),
  created_date: z.string(),
  updated_date: z.string(),
}
const publicKey = z.string().describe('What the receiver checks signatures with: base64 of DER')

/** A webhook that was created. */
export const webhookSchema = z.strictObject(webhookMembers)
export type SendGridWebhook = z.infer<typeof webhookSchema>

/** A webhook in detail, and in the list. */
export const listedWebhookSchema = z.strictObject({
  ...webhookMembers,
  public_key: publicKey,
})
export type SendGridListedWebhook = z.infer<typeof listedWebhookSchema>

/** The public key of a webhook. */
export const signedWebhookSchema = z.strictObject({
  id: z.string(),
  public_key: publicKey,
})
