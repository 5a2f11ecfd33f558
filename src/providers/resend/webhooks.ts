import { timeOfId } from '../../core/ids.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import type { Webhook } from '../../webhooks/types.ts'
import { withNames } from '../member-names.ts'
import { chosenEvents, ownWebhooks } from '../own-webhooks.ts'
import type { ProviderParts } from '../provider.ts'
import { resend, toTime } from './conventions.ts'
import { resendShape } from './events.ts'
import { resendFace } from './face.ts'
import { listSchema, maxPage, pageOf, pageQuery, toList } from './lists.ts'
import { assertSameId } from './same-id.ts'
import {
  changedWebhookSchema,
  createdWebhookSchema,
  listedWebhookSchema,
  newWebhookSchema,
  removedWebhookSchema,
  webhookChangesSchema,
  webhookSchema,
  type ResendListedWebhook,
} from './webhook-schema.ts'

const { get, post, patch, del } = defineRoutes({ tag: 'Webhooks', access: 'key', face: resendFace })

/** Names of members of our webhooks in Resend's API. */
const names = { url: 'endpoint', shape_events: 'events' }

/** `/resend/webhooks`: the webhooks of this account that have Resend's form. */
export function webhookRoutes({ webhooks }: ProviderParts): Route[] {
  const { list, find } = ownWebhooks(webhooks, resend)

  return [
    post('/resend/webhooks', {
      summary: 'Create a webhook',
      body: { schema: newWebhookSchema, maxBytes: bodyLimits.small },
      success: { status: 201, schema: createdWebhookSchema },
      errors: ['webhook_exists', 'state_conflict'],
      async handler({ body: { endpoint, events } }) {
        const input = { url: endpoint, shape: resend, shape_events: events }
        const { id, secret } = await withNames(webhooks.create(input), names)
        return { object: 'webhook', id, signing_secret: secret }
      },
    }),
    get('/resend/webhooks', {
      summary: 'List webhooks',
      query: pageQuery(maxPage),
      success: { schema: listSchema(listedWebhookSchema) },
      async handler({ query }) {
        const { items, more } = await pageOf('webhook', await list(), query)
        return toList(items.map(toListed), more)
      },
    }),
    get('/resend/webhooks/{id}', {
      // Whoever has its secret can sign as this instance does.
      needs: 'full',
      summary: 'Get a webhook',
      success: { schema: webhookSchema },
      async handler({ params }) {
        const webhook = await find(params.id)
        return { object: 'webhook', ...toListed(webhook), signing_secret: webhook.secret }
      },
    }),
    patch('/resend/webhooks/{id}', {
      summary: 'Change a webhook',
      body: { schema: webhookChangesSchema, maxBytes: bodyLimits.small },
      success: { schema: changedWebhookSchema },
      errors: ['webhook_exists', 'state_conflict'],
      async handler({ params, body: { endpoint, events, status, webhook_id } }) {
        assertSameId('webhook_id', webhook_id, params.id)
        const { id } = await find(params.id)
        const changes = {
          ...(endpoint !== undefined && { url: endpoint }),
          ...(events && { shape_events: events }),
          ...(status && { enabled: status === 'enabled' }),
        }
        await withNames(webhooks.update(id, changes), names)
        return { object: 'webhook', id }
      },
    }),
    del('/resend/webhooks/{id}', {
      summary: 'Remove a webhook',
      success: { schema: removedWebhookSchema },
      errors: ['state_conflict'],
      async handler({ params }) {
        const { id } = await find(params.id)
        await webhooks.remove(id)
        return { object: 'webhook', id, deleted: true }
      },
    }),
  ]
}

function toListed(webhook: Webhook): ResendListedWebhook {
  const { id, url, disabled } = webhook
  const status = disabled ? 'disabled' : 'enabled'
  const events = chosenEvents(webhook, resendShape)
  return { id, endpoint: url, created_at: toTime(timeOfId(id)), status, events }
}
