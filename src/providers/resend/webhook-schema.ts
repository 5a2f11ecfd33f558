import { z } from 'zod'
import { resendShape } from './events.ts'
import { sameId } from './same-id.ts'

const endpoint = z.string().min(1).describe('Where events are posted to')

const events = z
  .array(z.string())
  .min(1)
  .max(100)
  .describe(`Of ${Object.keys(resendShape.events).join(', ')}`)
const status = z.enum(['enabled', 'disabled'])

/** The body of `POST /resend/webhooks`. */
export const newWebhookSchema = z.strictObject({ endpoint, events })

/** The body of `PATCH /resend/webhooks/{id}`. */
export const webhookChangesSchema = z.strictObject({
  endpoint: endpoint.optional(),
  events: events.optional(),
  webhook_id: sameId,
  status: status.optional().describe('`disabled`: it gets no events'),
})

const listedMembers = {
  id: z.string(),
  endpoint,
  created_at: z.string(),
  status,
  events: z.array(z.string()),
}
const ofWebhook = { object: z.literal('webhook'), id: z.string() }
const secret = { signing_secret: z.string().describe('`whsec_` and base64') }

/** A webhook in the list. */
export const listedWebhookSchema = z.strictObject(listedMembers)
export type ResendListedWebhook = z.infer<typeof listedWebhookSchema>

/** A webhook that was created. */
export const createdWebhookSchema = z.strictObject({ ...ofWebhook, ...secret })

/** A webhook in detail. */
export const webhookSchema = z.strictObject({ ...ofWebhook, ...listedMembers, ...secret })

/** A webhook that was changed. */
export const changedWebhookSchema = z.strictObject(ofWebhook)

/** A webhook that was removed. */
export const removedWebhookSchema = z.strictObject({ ...ofWebhook, deleted: z.boolean() })
