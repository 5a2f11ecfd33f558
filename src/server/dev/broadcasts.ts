import type { Broadcasts } from '../../broadcasts/broadcasts.ts'
import { broadcastRequestSchema, broadcastSchema } from '../../broadcasts/schema.ts'
import type { Route } from '../route.ts'
import { bodyLimits, defineRoute } from '../route.ts'

/** `/dev/broadcasts`. */
export function broadcastRoutes(broadcasts: Broadcasts): Route[] {
  return [
    defineRoute({
      tag: 'Audiences',
      access: 'local',
      method: 'POST',
      path: '/dev/broadcasts',
      summary: 'Send a broadcast: one personal email to each subscribed contact of an audience',
      body: { schema: broadcastRequestSchema, readBy: 'noun', maxBytes: bodyLimits.content },
      success: { schema: broadcastSchema },
      errors: ['not_found', 'domain_not_verified', 'domain_not_registered', 'message_too_large'],
      handler: ({ body }) => broadcasts.send(body),
    }),
  ]
}
