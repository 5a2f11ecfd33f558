import { z } from 'zod'
import { LongBody } from '../../core/json-body.ts'
import {
  audienceInputSchema,
  audienceSchema,
  contactChangesSchema,
  contactInputSchema,
  contactSchema,
  importResultSchema,
} from '../../audiences/schema.ts'
import type { ServerDeps } from '../deps.ts'
import type { Route } from '../route.ts'
import { bodyLimits, defineRoute } from '../route.ts'
import { deletedSchema } from '../schemas.ts'

/** `/dev/audiences` and the contacts in them. */
export function devAudienceRoutes(audiences: ServerDeps['audiences']): Route[] {
  const { contacts } = audiences
  return [
    defineRoute({
      ...common,
      method: 'POST',
      path: '/dev/audiences',
      summary: 'Create an audience',
      body: { schema: audienceInputSchema, readBy: 'resource' },
      success: { status: 201, schema: audienceSchema },
      handler: ({ body }) => audiences.create(body),
    }),
    defineRoute({
      ...common,
      method: 'PATCH',
      path: '/dev/audiences/{id}',
      summary: 'Rename an audience',
      body: { schema: audienceInputSchema, readBy: 'resource' },
      success: { schema: audienceSchema },
      errors: ['not_found'],
      handler: ({ params, body }) => audiences.update(params.id, body),
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/dev/audiences/{id}',
      summary: 'Remove an audience and its contacts',
      success: { schema: deletedSchema },
      errors: ['not_found'],
      async handler({ params }) {
        await audiences.remove(params.id)
        return { deleted: 1 }
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/dev/audiences/{id}/contacts',
      summary: 'Add or update contacts: one, an array, or CSV with a header line',
      query: importQuery,
      body: { schema: someContacts, readBy: 'resource', textTypes: ['text/csv'], maxBytes: bodyLimits.large },
      success: { schema: importResultSchema },
      errors: ['not_found'],
      handler: ({ params, query, body }) =>
        contacts.import(params.id, rowsOf(body), { dryRun: query.dry_run === 'true' }),
    }),
    defineRoute({
      ...common,
      method: 'PATCH',
      path: '/dev/audiences/{id}/contacts/{contactId}',
      summary: 'Change a contact',
      body: { schema: contactChangesSchema, readBy: 'resource' },
      success: { schema: contactSchema },
      errors: ['not_found'],
      handler: ({ params, body }) => contacts.update(params.id, params.contactId, body),
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/dev/audiences/{id}/contacts/{contactId}',
      summary: 'Remove a contact',
      success: { schema: deletedSchema },
      errors: ['not_found'],
      async handler({ params }) {
        await contacts.remove(params.id, params.contactId)
        return { deleted: 1 }
      },
    }),
  ]
}

const common = { tag: 'Audiences', access: 'local' } as const
const rowsOf = <T>(body: T | T[] | string | LongBody): T[] | string | LongBody =>
  typeof body === 'string' || Array.isArray(body) || body instanceof LongBody ? body : [body]
const someContacts = z.union([contactInputSchema, z.array(contactInputSchema), z.string()])
const importQuery: z.ZodType<{ dry_run?: 'true' | 'false' | undefined }> = z.object({
  dry_run: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true`: answers what an import would do, and stores nothing. Default: `false`'),
})
