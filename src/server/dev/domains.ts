import { z } from 'zod'
import type { InnerDomains } from '../../domains/domains.ts'
import {
  verifyInputSchema,
  domainDetailSchema,
  domainSettingsSchema,
  domainSummarySchema,
  recordCheckSchema,
} from '../../domains/schema.ts'
import { bytesAnswer } from '../answer.ts'
import type { Route } from '../route.ts'
import { defineRoute } from '../route.ts'
import { deletedSchema, listSchema, pageQuery, toList } from '../schemas.ts'

/** `/dev/domains`. */
export function devDomainRoutes(
  domains: Pick<InnerDomains, 'summaries' | 'update' | 'remove' | 'verify' | 'records' | 'zone'>,
): Route[] {
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/domains',
      summary: 'The domains, newest first, and whether each was created or only mentioned by mail',
      query: pageQuery,
      success: { schema: listSchema('domains', domainSummarySchema) },
      errors: ['invalid_cursor'],
      handler: async ({ query }) => toList('domains', await domains.summaries(query)),
    }),
    defineRoute({
      ...common,
      method: 'PATCH',
      path: '/dev/domains/{id}',
      summary: 'Change the settings of a domain',
      body: { schema: domainSettingsSchema, readBy: 'resource' },
      success: { schema: domainDetailSchema },
      errors: ['not_found'],
      handler: ({ params, body }) => domains.update(params.id, body),
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/dev/domains/{id}',
      summary: 'Remove a domain',
      success: { schema: deletedSchema },
      errors: ['not_found'],
      async handler({ params }) {
        await domains.remove(params.id)
        return { deleted: 1 }
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/dev/domains/{id}/verify',
      summary: 'Look the records up in DNS now, or declare a state',
      body: { schema: verifyInputSchema, readBy: 'resource', optional: true },
      success: { schema: domainDetailSchema },
      errors: ['not_found'],
      handler: ({ params, body }) => domains.verify(params.id, body),
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/domains/{id}/records',
      summary: 'What each record should say, what DNS says, and the verdict',
      success: { schema: z.strictObject({ records: z.array(recordCheckSchema) }) },
      errors: ['not_found'],
      handler: async ({ params }) => ({ records: await domains.records(params.id) }),
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/dev/domains/{id}/zone',
      summary: 'The records as a zone file',
      success: { type: 'text/plain; charset=utf-8', description: 'RFC 1035 zone file text' },
      errors: ['not_found'],
      handler: async ({ params }) =>
        bytesAnswer(await domains.zone(params.id), { 'content-type': 'text/plain; charset=utf-8' }),
    }),
  ]
}

const common = { tag: 'Domains', access: 'local' } as const
