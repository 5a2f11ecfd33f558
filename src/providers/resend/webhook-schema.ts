import { z } from 'zod'
import { resendShape } from './events.ts'
import type { ResendListedWebhook, ResendNewWebhook } from './types.ts'

const endpoint = z.string().min(1).describe('Where events are posted to')

/** The body of `POST /resend/webhooks`. */
export const newWebhookSchema: z.ZodType<ResendNewWebhook> = z.strictObject({
  endpoint,
  events: z
    .array(z.string())
    .min(1)
    .max(100)
    .describe(`Of ${Object.keys(resendShape.events).join(', ')}`),
})

const listedMembers = {
  id: z.string(),
  endpoint,
  created_at: z.string(),
  status: z.literal('enabled'),
  events: z.array(z.string()),
}
const ofWebhook = { object: z.literal('webhook'), id: z.string() }
const secret = { signing_secret: z.string().describe('`whsec_` and base64') }

/** A webhook in the list. */
export const listedWebhookSchema: z.ZodType<ResendListedWebhook> = z.strictObject(listedMembers)

/** A webhook that was created. */
export const createdWebhookSchema: z.ZodType = z.strictObject({ ...ofWebhook, ...secret })

/** A webhook in detail. */
export const webhookSchema: z.ZodType = z.strictObject({ ...ofWebhook, ...listedMembers, ...secret })

/** A webhook that was removed. */
export const removedWebhookSchema: z.ZodType = z.strictObject({ ...ofWebhook, deleted: z.boolean() })
