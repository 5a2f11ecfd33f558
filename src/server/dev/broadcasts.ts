import { z } from 'zod'
import type { Broadcasts } from '../../broadcasts/broadcasts.ts'
import {
  broadcastDetailSchema,
  broadcastRequestSchema,
  broadcastSchema,
  broadcastSummarySchema,
} from '../../broadcasts/schema.ts'
import type { Route } from '../route.ts'
import { bodyLimits, defineRoute } from '../route.ts'
import { listSchema, pageMembers, toList } from '../schemas.ts'

/** `/dev/broadcasts`. */
export function broadcastRoutes(broadcasts: Broadcasts): Route[] {
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/broadcasts',
      summary: 'List the last 1,000 broadcasts; newest first',
      query: z.object({
        audience_id: z.string().optional().describe('Only those to this audience'),
        ...pageMembers,
      }),
      success: { schema: listSchema('broadcasts', broadcastSummarySchema) },
      errors: ['invalid_cursor'],
      handler: async ({ query }) => toList('broadcasts', await broadcasts.list(query)),
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/broadcasts/{id}',
      summary: 'A broadcast with its results, in numbers and over time',
      success: { schema: broadcastDetailSchema },
      errors: ['not_found'],
      handler: ({ params }) => broadcasts.get(params.id),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/dev/broadcasts',
      summary: 'Send a broadcast: one personal email to each subscribed contact of an audience',
      body: {
        schema: broadcastRequestSchema,
        readBy: 'resource',
        long: 'broadcast',
        maxBytes: bodyLimits.content,
      },
      success: { schema: broadcastSchema },
      errors: ['not_found', 'domain_not_verified', 'domain_not_registered', 'message_too_large'],
      handler: ({ body }) => broadcasts.send(body),
    }),
  ]
}

const common = { tag: 'Audiences', access: 'local' } as const
