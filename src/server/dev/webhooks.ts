import { webhookDeliverySchema, webhookInputSchema, webhookSchema } from '../../webhooks/schema.ts'
import type { Webhooks } from '../../webhooks/service.ts'
import { defineRoutes, type Route } from '../define-routes.ts'
import { deletedSchema, devPageQuery, listSchema, toListAnswer } from '../lists.ts'

const { get, post, del, list, remove } = defineRoutes({ tag: 'Webhooks', access: 'local' })

/** `/dev/webhooks`. */
export function webhookRoutes(webhooks: Webhooks): Route[] {
  return [
    get('/dev/webhooks', {
      summary: 'List the webhooks, all on one page; those of the options first',
      success: { schema: listSchema('webhooks', webhookSchema) },
      handler: async () => toListAnswer('webhooks', await webhooks.list()),
    }),
    post('/dev/webhooks', {
      summary: 'Have events of emails and domains posted to a URL, from now on',
      body: { schema: webhookInputSchema, readBy: 'resource' },
      success: { status: 201, schema: webhookSchema },
      errors: ['webhook_exists', 'state_conflict'],
      handler: ({ body }) => webhooks.create(body),
    }),
    remove('/dev/webhooks/{id}', {
      summary: 'Remove a webhook, and what waits for it',
      errors: ['state_conflict'],
      handler: ({ params }) => webhooks.remove(params.id),
    }),
    list('/dev/webhooks/deliveries', 'deliveries', webhookDeliverySchema, {
      summary: 'What waits for a webhook and about the last 1,000 others with every try, newest first',
      query: devPageQuery,
      handler: ({ query }) => webhooks.deliveries(query),
    }),
    del('/dev/webhooks/deliveries', {
      summary: 'Remove all finished deliveries from the log; those that wait stay',
      success: { schema: deletedSchema },
      handler: async () => ({ deleted: await webhooks.clearDeliveries() }),
    }),
    post('/dev/webhooks/deliveries/{id}/replay', {
      summary: 'Post the same event again, with the same webhook-id',
      success: { status: 201, schema: webhookDeliverySchema },
      handler: ({ params }) => webhooks.replay(params.id),
    }),
  ]
}
