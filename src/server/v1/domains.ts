import { listFirst } from '../../core/quote.ts'
import { ignoredMember } from '../../core/validate.ts'
import type { Domains } from '../../domains/domains.ts'
import {
  createDomainSchema,
  createdDomainSchema,
  domainDetailSchema,
  domainListItemSchema,
} from '../../domains/schema.ts'
import type { NewDomain } from '../../domains/types.ts'
import { bodyLimits, defineRoutes, type Route } from '../define-routes.ts'
import { v1PageQuery } from '../lists.ts'

const { get, post, list } = defineRoutes({ tag: 'Domains', access: 'key' })

/** `/v1/domains`, docs/interface.md 4.5 and 4.6. */
export function domainRoutes(domains: Pick<Domains, 'create' | 'list' | 'get'>): Route[] {
  return [
    post('/v1/domains', {
      summary: 'Register a sending domain',
      body: { schema: createDomainSchema, readBy: 'resource', maxBytes: bodyLimits.small },
      success: { status: 201, schema: createdDomainSchema },
      errors: ['domain_exists'],
      handler({ body, warn }) {
        warn(ignoredMembers(body))
        return domains.create(body)
      },
    }),
    list('/v1/domains', 'domains', domainListItemSchema, {
      summary: 'List domains, newest first',
      query: v1PageQuery,
      handler: ({ query }) => domains.list(query),
    }),
    get('/v1/domains/{id}', {
      summary: 'Domain detail',
      success: { schema: domainDetailSchema },
      handler: ({ params }) => domains.get(params.id),
    }),
  ]
}

/** Warnings for members that a new domain does not have: the first 100, and the number of others. */
function ignoredMembers(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return []
  const unknown = Object.keys(body).filter((name) => !Object.hasOwn(membersOfDomain, name))
  return listFirst(unknown, ignoredMember)
}

const membersOfDomain: Readonly<Record<keyof NewDomain, true>> = { name: true }
