import { z } from 'zod'
import type { InnerBroadcasts } from '../../broadcasts/broadcasts.ts'
import {
  broadcastDetailSchema,
  broadcastRequestSchema,
  broadcastSchema,
  broadcastSummarySchema,
} from '../../broadcasts/schema.ts'
import { traceOfRequest } from '../../core/trace-context.ts'
import { bodyLimits, defineRoutes, type Route } from '../define-routes.ts'
import { devPageMembers } from '../lists.ts'

const { get, post, list } = defineRoutes({ tag: 'Audiences', access: 'local' })

/** `/dev/broadcasts`. */
export function broadcastRoutes(broadcasts: InnerBroadcasts): Route[] {
  return [
    list('/dev/broadcasts', 'broadcasts', broadcastSummarySchema, {
      summary: 'List the last 1,000 broadcasts; newest first',
      query: z.strictObject({
        audience_id: z.string().optional().describe('Only those to this audience'),
        ...devPageMembers,
      }),
      handler: ({ query }) => broadcasts.list(query),
    }),
    get('/dev/broadcasts/{id}', {
      summary: 'A broadcast with its results, in numbers and over time',
      success: { schema: broadcastDetailSchema },
      handler: ({ params }) => broadcasts.get(params.id),
    }),
    post('/dev/broadcasts', {
      summary: 'Send a broadcast: one personal email to each subscribed contact of an audience',
      body: {
        schema: broadcastRequestSchema,
        readBy: 'resource',
        long: 'broadcast',
        maxBytes: bodyLimits.content,
      },
      success: { schema: broadcastSchema },
      errors: ['domain_not_verified', 'domain_not_registered', 'message_too_large'],
      handler: ({ body, headers }) => broadcasts.send(body, traceOfRequest(headers)),
    }),
  ]
}
