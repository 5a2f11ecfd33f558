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
import { devPageMembers, queryFlag } from '../lists.ts'
import { traceOfRequest } from '../../core/trace-context.ts'
import type { InnerBroadcasts } from '../../broadcasts/broadcasts.ts'
import {
  broadcastDetailSchema,
  broadcastRequestSchema,
  broadcastSchema,
  broadcastSummarySchema,
} from '../../broadcasts/schema.ts'

const { get, post, patch, list, remove } = defineRoutes({ tag: 'Audiences', access: 'local' })

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
