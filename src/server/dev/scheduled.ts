import { z } from 'zod'
import { scheduledEmailSchema, sendAtSchema } from '../../sending/schema.ts'
import type { SendingService } from '../../sending/service.ts'
import { devPageQuery } from '../lists.ts'
import { bodyLimits, type Route } from '../route.ts'
import { defineRoutes } from '../define-routes.ts'

const { get, post, patch, list, remove } = defineRoutes({ tag: 'Emails', access: 'local' })

/** `/dev/scheduled`. */
export function scheduledRoutes(sending: Pick<SendingService, 'scheduled'>): Route[] {
  return [
    list('/dev/scheduled', 'scheduled', scheduledEmailSchema, {
      summary: 'List emails that are sent later; the one that was accepted last comes first',
      query: devPageQuery,
      handler: ({ query }) => sending.scheduled.list(query),
    }),
    get('/dev/scheduled/{id}', {
      summary: 'An email that is sent later',
      success: { schema: scheduledEmailSchema },
      handler: ({ params }) => sending.scheduled.get(params.id),
    }),
    patch('/dev/scheduled/{id}', {
      summary: 'Change when an email is sent',
      body: { schema: z.strictObject({ send_at: sendAtSchema }), maxBytes: bodyLimits.small },
      success: { schema: scheduledEmailSchema },
      handler: ({ params, body }) => sending.scheduled.reschedule(params.id, body.send_at),
    }),
    post('/dev/scheduled/{id}/send', {
      summary: 'Send a scheduled email at once',
      success: { schema: z.strictObject({ id: z.string().describe('The id of its email') }) },
      handler: ({ params }) => sending.scheduled.sendNow(params.id),
    }),
    remove('/dev/scheduled/{id}', {
      summary: 'Cancel an email that is sent later',
      handler: ({ params }) => sending.scheduled.cancel(params.id),
    }),
  ]
}
