import { webhookDeliverySchema, webhookInputSchema, webhookSchema } from '../../webhooks/schema.ts'
import type { Webhooks } from '../../webhooks/webhooks.ts'
import type { Route } from '../route.ts'
import { defineRoute } from '../route.ts'
import { deletedSchema, listSchema, pageQuery, toList } from '../schemas.ts'

/** `/dev/webhooks`. */
export function webhookRoutes(webhooks: Webhooks): Route[] {
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/webhooks',
      summary: 'List the webhooks, all on one page; those of the options first',
      success: { schema: listSchema('webhooks', webhookSchema) },
      handler: async () => toList('webhooks', await webhooks.list()),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/dev/webhooks',
      summary: 'Have events of emails and domains posted to a URL, from now on',
      body: { schema: webhookInputSchema, readBy: 'resource' },
      success: { status: 201, schema: webhookSchema },
      errors: ['webhook_exists', 'state_conflict'],
      handler: ({ body }) => webhooks.create(body),
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/dev/webhooks/{id}',
      summary: 'Remove a webhook, and what waits for it',
      success: { schema: deletedSchema },
      errors: ['not_found', 'state_conflict'],
      async handler({ params }) {
        await webhooks.remove(params.id)
        return { deleted: 1 }
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/webhooks/deliveries',
      summary: 'What waits for a webhook and about the last 1,000 others with every try, newest first',
      query: pageQuery,
      success: { schema: listSchema('deliveries', webhookDeliverySchema) },
      errors: ['invalid_cursor'],
      handler: async ({ query }) => toList('deliveries', await webhooks.deliveries(query)),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/dev/webhooks/deliveries/{id}/replay',
      summary: 'Post the same event again, with the same webhook-id',
      success: { status: 201, schema: webhookDeliverySchema },
      errors: ['not_found'],
      handler: ({ params }) => webhooks.replay(params.id),
    }),
  ]
}

const common = { tag: 'Webhooks', access: 'local' } as const
