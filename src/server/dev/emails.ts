import { addedEventSchema } from '../../emails/simulate-schema.ts'
import type { Simulation } from '../../emails/simulate.ts'
import { recipientEventSchema } from '../../emails/event-schema.ts'
import { defineRoutes, type Route } from '../route.ts'

const { post } = defineRoutes({ tag: 'Emails', access: 'local' })

/** `/dev/emails`. */
export function devEmailRoutes(emails: Simulation): Route[] {
  return [
    post('/dev/emails/{id}/events', {
      summary: 'Add an event to a recipient, as if it had happened',
      body: { schema: addedEventSchema, readBy: 'resource' },
      success: { status: 201, schema: recipientEventSchema, description: 'The event as the detail shows it' },
      errors: ['state_conflict'],
      handler: ({ params, body }) => emails.addEvent(params.id, body),
    }),
  ]
}
