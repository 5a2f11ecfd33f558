import type { Audiences } from '../../audiences/audiences.ts'
import { audienceSchema, contactSchema } from '../../audiences/schema.ts'
import { defineRoutes, type Route } from '../define-routes.ts'
import { v1PageQuery } from '../lists.ts'

const { list } = defineRoutes({ tag: 'Audiences', access: 'key' })

/** `/v1/audiences`, docs/interface.md 4.7 and 4.8. */
export function audienceRoutes(audiences: Pick<Audiences, 'list' | 'contacts'>): Route[] {
  return [
    list('/v1/audiences', 'audiences', audienceSchema, {
      summary: 'List audiences, newest first',
      query: v1PageQuery,
      handler: ({ query }) => audiences.list(query),
    }),
    list('/v1/audiences/{audienceId}/contacts', 'contacts', contactSchema, {
      summary: 'List the contacts of an audience, by email',
      query: v1PageQuery,
      handler: ({ params, query }) => audiences.contacts.list(params.audienceId, query),
    }),
  ]
}
