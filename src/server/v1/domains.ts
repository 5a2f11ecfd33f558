import type { Domains } from '../../domains/domains.ts'
import {
  createDomainSchema,
  createdDomainSchema,
  domainDetailSchema,
  domainListItemSchema,
} from '../../domains/schema.ts'
import type { Route } from '../route.ts'
import { bodyLimits, defineRoute } from '../route.ts'
import { cursorQuery, listSchema, toList } from '../schemas.ts'
import { unknownMembers } from '../unknown-members.ts'

/** `/v1/domains`, docs/interface.md 4.5 and 4.6. */
export function domainRoutes(domains: Pick<Domains, 'create' | 'list' | 'get'>): Route[] {
  return [
    defineRoute({
      ...common,
      method: 'POST',
      path: '/v1/domains',
      summary: 'Register a sending domain',
      body: { schema: createDomainSchema, readBy: 'resource', maxBytes: bodyLimits.small },
      success: { status: 201, schema: createdDomainSchema },
      errors: ['domain_exists'],
      handler({ body, warn }) {
        warn(unknownMembers(createDomainSchema, body))
        return domains.create(body)
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/domains',
      summary: 'List domains, newest first',
      query: cursorQuery,
      success: { schema: listSchema('domains', domainListItemSchema) },
      errors: ['invalid_cursor'],
      handler: async ({ query }) => toList('domains', await domains.list(query)),
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/v1/domains/{id}',
      summary: 'Domain detail',
      success: { schema: domainDetailSchema },
      errors: ['not_found'],
      handler: ({ params }) => domains.get(params.id),
    }),
  ]
}

const common = { tag: 'Domains', access: 'key' } as const
