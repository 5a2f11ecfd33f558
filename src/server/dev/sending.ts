import { traceOfRequest } from '../../core/trace-context.ts'
import { z } from 'zod'
import { sendErrors } from '../../sending/results.ts'
import {
  sendingRequestSchema,
  sentEmailSchema,
  scheduledEmailSchema,
  sendAtSchema,
} from '../../sending/schema.ts'
import { maxRequests } from '../../sending/sending.ts'
import type { SendingService } from '../../sending/service.ts'
import { addedEventSchema } from '../../emails/simulate-schema.ts'
import type { Simulation } from '../../emails/simulate.ts'
import { recipientEventSchema } from '../../emails/event-schema.ts'
import { bodyLimits, defineRoutes, type Route } from '../define-routes.ts'
import { idempotencyHeader } from '../idempotency-header.ts'
import { devPageQuery } from '../lists.ts'

const { get, post, patch, list, remove } = defineRoutes({ tag: 'Emails', access: 'local' })

/** `/dev/emails`. */
export function devEmailRoutes(simulation: Simulation, sending: SendingService): Route[] {
  return [
    post('/dev/emails', {
      needs: 'send',
      summary: 'Send one email or several, with every member that the core knows',
      headers: idempotencyHeader('the same requests with the same key are sent once in 24 h'),
      body: {
        schema: z.union([sendingRequestSchema, z.array(sendingRequestSchema).min(1).max(maxRequests)]),
        readBy: 'resource',
        maxBytes: bodyLimits.large,
      },
      success: {
        schema: z.strictObject({ emails: z.array(sentEmailSchema) }),
        description: 'The email of each request, in their order; all of them are stored in one commit',
      },
      errors: [...sendErrors, 'idempotency_conflict', 'state_conflict'],
      async handler({ body, headers, warn }) {
        const idempotencyKey = headers.get('idempotency-key') ?? undefined
        const emails = await sending.send(body, {
          surface: 'dev',
          idempotencyKey,
          trace: traceOfRequest(headers),
        })
        warn(emails.flatMap(({ warnings }) => warnings))
        return { emails }
      },
    }),
    post('/dev/emails/{id}/events', {
      summary: 'Add an event to a recipient, as if it had happened',
      body: { schema: addedEventSchema, readBy: 'resource' },
      success: { status: 201, schema: recipientEventSchema, description: 'The event as the detail shows it' },
      errors: ['state_conflict'],
      handler: ({ params, body }) => simulation.addEvent(params.id, body),
    }),
  ]
}

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
