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
import { defineRoutes, type Route } from '../define-routes.ts'
import { devPageQuery } from '../lists.ts'

const { get, post, patch, list, remove } = defineRoutes({ tag: 'Domains', access: 'local' })

/** `/dev/domains`. */
export function devDomainRoutes(domains: InnerDomains): Route[] {
  return [
    list('/dev/domains', 'domains', domainSummarySchema, {
      summary: 'The domains, newest first, and whether each was created or only mentioned by mail',
      query: devPageQuery,
      handler: ({ query }) => domains.summaries(query),
    }),
    patch('/dev/domains/{id}', {
      summary: 'Change the settings of a domain',
      body: { schema: domainSettingsSchema, readBy: 'resource' },
      success: { schema: domainDetailSchema },
      handler: ({ params, body }) => domains.update(params.id, body),
    }),
    remove('/dev/domains/{id}', {
      summary: 'Remove a domain',
      handler: ({ params }) => domains.remove(params.id),
    }),
    post('/dev/domains/{id}/verify', {
      summary: 'Look the records up in DNS now, or declare a state',
      body: { schema: verifyInputSchema, readBy: 'resource', optional: true },
      success: { schema: domainDetailSchema },
      handler: ({ params, body }) => domains.verify(params.id, body),
    }),
    get('/dev/domains/{id}/records', {
      summary: 'What each record should say, what DNS says, and the verdict',
      success: { schema: z.strictObject({ records: z.array(recordCheckSchema) }) },
      handler: async ({ params }) => ({ records: await domains.records(params.id) }),
    }),
    get('/dev/domains/{id}/zone', {
      summary: 'The records as a zone file',
      success: { type: 'text/plain; charset=utf-8', description: 'RFC 1035 zone file text' },
      handler: async ({ params }) =>
        bytesAnswer(await domains.zone(params.id), { 'content-type': 'text/plain; charset=utf-8' }),
    }),
  ]
}
