import { z } from 'zod'
import { webhookEventNames } from './events.ts'

/** How many URLs an event may have. */
const maxUrls = 3

const url = z.string().min(1).max(2000)
const urls = z
  .union([url, z.array(url).min(1).max(maxUrls)])
  .describe(`Where events are posted to: at most ${maxUrls}`)
const name = z.enum(webhookEventNames, { error: `must be one of ${webhookEventNames.join(', ')}` })

/** The body of `POST /v3/domains/{domain}/webhooks`. */
export const newWebhookSchema = z.strictObject({
  id: name.describe('The event'),
  url: urls,
})

/** The body of `PUT /v3/domains/{domain}/webhooks/{name}`. */
export const webhookChangesSchema = z.strictObject({ url: urls })

const urlsOfEvent = z.strictObject({ urls: z.array(z.string()) })

/** The URLs of each event. */
export const webhookListSchema = z.strictObject({ webhooks: z.record(z.string(), urlsOfEvent) })

/** The URLs of an event. */
export const webhookSchema = z.strictObject({
  message: z.string().optional(),
  webhook: urlsOfEvent,
})
