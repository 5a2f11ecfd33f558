import { suppressionInputSchema, suppressionSchema } from '../../sending/schema.ts'
import type { Suppressions } from '../../sending/suppressions.ts'
import { bodyLimits, defineRoutes, type Route } from '../define-routes.ts'
import { devPageQuery } from '../lists.ts'

const { get, post, list, remove } = defineRoutes({ tag: 'Suppressions', access: 'local' })

/** `/dev/suppressions`. */
export function suppressionRoutes(suppressions: Suppressions): Route[] {
  return [
    list('/dev/suppressions', 'suppressions', suppressionSchema, {
      summary: 'List the addresses that get no mail, by address',
      query: devPageQuery,
      handler: ({ query }) => suppressions.list(query),
    }),
    post('/dev/suppressions', {
      summary: 'Add an address to the suppression list, or replace its entry',
      body: { schema: suppressionInputSchema, readBy: 'resource', maxBytes: bodyLimits.small },
      success: { status: 201, schema: suppressionSchema },
      handler: ({ body }) => suppressions.add(body),
    }),
    get('/dev/suppressions/{address}', {
      summary: 'An entry of the suppression list',
      success: { schema: suppressionSchema },
      handler: ({ params }) => suppressions.get(params.address),
    }),
    remove('/dev/suppressions/{address}', {
      summary: 'Remove an address from the suppression list',
      handler: ({ params }) => suppressions.remove(params.address),
    }),
  ]
}
