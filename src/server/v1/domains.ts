import { z } from 'zod'
import { listFirst } from '../../core/errors.ts'
import { ignoredMember } from '../../core/validate.ts'
import type { Domains } from '../../domains/domains.ts'
import {
  createDomainSchema,
  createdDomainSchema,
  domainDetailSchema,
  domainListItemSchema,
} from '../../domains/schema.ts'
import { bodyLimits, type Route } from '../route.ts'
import { defineRoutes } from '../define-routes.ts'
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
        warn(unknownMembers(createDomainSchema, body))
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

/**
 * Warnings for members of an object that a schema does not know and that were ignored: the first 100, and the number of
 * others.
 */
function unknownMembers(schema: z.ZodType, value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const known = membersOf(schema)
  const unknown = Object.keys(value).filter((name) => !known.has(name))
  return listFirst(unknown, ignoredMember)
}

const cache = new WeakMap<z.ZodType, ReadonlySet<string>>()

function membersOf(schema: z.ZodType): ReadonlySet<string> {
  let members = cache.get(schema)
  if (!members) {
    const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
    members = new Set(Object.keys(properties))
    cache.set(schema, members)
  }
  return members
}
