import { z } from 'zod'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import type { ProviderParts } from '../provider.ts'
import { EventUrls } from './event-urls.ts'
import { webhookEventNames } from './events.ts'
import { mailgunFace } from './face.ts'

const { get, post, put, del } = defineRoutes({ tag: 'Webhooks', access: 'key', face: mailgunFace })

const path = '/mailgun/v3/domains/{domain}/webhooks'
const errors = ['webhook_exists', 'state_conflict'] as const

const urlSchema = z.string().min(1).max(2000)
const urlsSchema = z
  .union([urlSchema, z.array(urlSchema).min(1).max(3)])
  .describe('Where events are posted to: at most 3')
const eventName = z.enum(webhookEventNames, { error: `must be one of ${webhookEventNames.join(', ')}` })
const urlsOfEvent = z.strictObject({ urls: z.array(z.string()) })
const webhookSchema = z.strictObject({ message: z.string().optional(), webhook: urlsOfEvent })

/** `/v3/domains/{domain}/webhooks`: the webhooks of this account that have Mailgun's form, for all of its domains. */
export function webhookRoutes({ webhooks }: Pick<ProviderParts, 'webhooks'>): Route[] {
  const events = new EventUrls(webhooks)

  return [
    get(path, {
      summary: 'List the URLs of each event',
      success: { schema: z.strictObject({ webhooks: z.record(z.string(), urlsOfEvent) }) },
      async handler() {
        const all = [...(await events.all())].map(([event, urls]) => [event, { urls }] as const)
        return { webhooks: Object.fromEntries(all) }
      },
    }),
    get(`${path}/{name}`, {
      summary: 'Get the URLs of an event',
      success: { schema: webhookSchema },
      handler: async ({ params }) => ({ webhook: { urls: await events.get(params.name) } }),
    }),
    post(path, {
      summary: 'Set the URLs of an event that has none',
      body: {
        schema: z.strictObject({ id: eventName.describe('The event'), url: urlsSchema }),
        maxBytes: bodyLimits.small,
        forms: 'also',
      },
      success: { schema: webhookSchema },
      errors,
      async handler({ body: { id, url } }) {
        const urls = await events.create(id, [url].flat())
        return { message: 'Webhook has been created', webhook: { urls } }
      },
    }),
    put(`${path}/{name}`, {
      summary: 'Change the URLs of an event',
      body: { schema: z.strictObject({ url: urlsSchema }), maxBytes: bodyLimits.small, forms: 'also' },
      success: { schema: webhookSchema },
      errors,
      async handler({ params, body: { url } }) {
        const urls = await events.change(params.name, [url].flat())
        return { message: 'Webhook has been updated', webhook: { urls } }
      },
    }),
    del(`${path}/{name}`, {
      summary: 'Remove the URLs of an event',
      success: { schema: webhookSchema },
      errors: ['state_conflict'],
      async handler({ params }) {
        const urls = await events.remove(params.name)
        return { message: 'Webhook has been deleted', webhook: { urls } }
      },
    }),
    get('/mailgun/v5/accounts/http_signing_key', {
      summary: 'Get the key that signs webhooks, once there is one',
      // Whoever has it can sign as this instance does.
      needs: 'full',
      success: { schema: z.strictObject({ message: z.string(), http_signing_key: z.string() }) },
      handler: async () => ({ message: 'success', http_signing_key: await events.signingKey() }),
    }),
  ]
}
