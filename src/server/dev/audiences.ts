import { z } from 'zod'
import { LongBody } from '../../core/long-body.ts'
import {
  audienceInputSchema,
  audienceSchema,
  contactChangesSchema,
  contactInputSchema,
  contactSchema,
  importResultSchema,
} from '../../audiences/schema.ts'
import type { ServerDeps } from '../deps.ts'
import { bodyLimits, defineRoutes, type Route } from '../define-routes.ts'
import { queryFlag } from '../query-values.ts'

const { post, patch, remove } = defineRoutes({ tag: 'Audiences', access: 'local' })

/** `/dev/audiences` and the contacts in them. */
export function devAudienceRoutes(audiences: ServerDeps['audiences']): Route[] {
  const { contacts } = audiences
  return [
    post('/dev/audiences', {
      summary: 'Create an audience',
      body: { schema: audienceInputSchema, readBy: 'resource' },
      success: { status: 201, schema: audienceSchema },
      handler: ({ body }) => audiences.create(body),
    }),
    patch('/dev/audiences/{id}', {
      summary: 'Rename an audience',
      body: { schema: audienceInputSchema, readBy: 'resource' },
      success: { schema: audienceSchema },
      handler: ({ params, body }) => audiences.update(params.id, body),
    }),
    remove('/dev/audiences/{id}', {
      summary: 'Remove an audience and its contacts',
      handler: ({ params }) => audiences.remove(params.id),
    }),
    post('/dev/audiences/{id}/contacts', {
      summary: 'Add or update contacts: one, an array, or CSV with a header line',
      query: importQuery,
      body: { schema: someContacts, readBy: 'resource', textTypes: ['text/csv'], maxBytes: bodyLimits.large },
      success: { schema: importResultSchema },
      handler: ({ params, query, body }) =>
        contacts.import(params.id, rowsOf(body), { dryRun: query.dry_run ?? false }),
    }),
    patch('/dev/audiences/{id}/contacts/{contactId}', {
      summary: 'Change a contact',
      body: { schema: contactChangesSchema, readBy: 'resource' },
      success: { schema: contactSchema },
      handler: ({ params, body }) => contacts.update(params.id, params.contactId, body),
    }),
    remove('/dev/audiences/{id}/contacts/{contactId}', {
      summary: 'Remove a contact',
      handler: ({ params }) => contacts.remove(params.id, params.contactId),
    }),
  ]
}

const rowsOf = <T>(body: T | T[] | string | LongBody): T[] | string | LongBody =>
  typeof body === 'string' || Array.isArray(body) || body instanceof LongBody ? body : [body]
const someContacts = z.union([contactInputSchema, z.array(contactInputSchema), z.string()])
const importQuery = z.strictObject({
  dry_run: queryFlag()
    .optional()
    .describe('`true`: answers what an import would do, and stores nothing. Default: `false`'),
})
