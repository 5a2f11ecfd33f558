import type { Audiences } from '../../audiences/audiences.ts'
import { audienceSchema, contactSchema } from '../../audiences/schema.ts'
import type { Route } from '../route.ts'
import { defineRoute } from '../route.ts'
import { cursorQuery, listSchema, toList } from '../schemas.ts'

/** `/v1/audiences`, docs/interface.md 4.7 and 4.8. */
export function audienceRoutes(audiences: Pick<Audiences, 'list' | 'contacts'>): Route[] {
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/audiences',
      summary: 'List audiences, newest first',
      query: cursorQuery,
      success: { schema: listSchema('audiences', audienceSchema) },
      errors: ['invalid_cursor'],
      handler: async ({ query }) => toList('audiences', await audiences.list(query)),
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/audiences/{audienceId}/contacts',
      summary: 'List the contacts of an audience, by email',
      query: cursorQuery,
      success: { schema: listSchema('contacts', contactSchema) },
      errors: ['invalid_cursor', 'not_found'],
      handler: async ({ params, query }) =>
        toList('contacts', await audiences.contacts.list(params.audienceId, query)),
    }),
  ]
}

const common = { tag: 'Audiences', access: 'key' } as const
