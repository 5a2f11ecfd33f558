import { z } from 'zod'
import { timeOfId } from '../../core/ids.ts'
import type { DnsRecord, DomainDetail, DomainListItem, DomainStatus } from '../../domains/types.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { queryNumber } from '../../server/query-values.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import { notFound } from '../../store/repository.ts'
import { allOf } from '../all-of.ts'
import { constantMembers } from '../constant-members.ts'
import { findDomain } from '../find-domain.ts'
import { notSupported } from '../not-supported.ts'
import type { ProviderParts } from '../provider.ts'
import { toTime } from './conventions.ts'
import { mailgunFace } from './face.ts'

const { get, post, put, del } = defineRoutes({ tag: 'Domains', access: 'key', face: mailgunFace })

/** Settings of Mailgun's domains that ours do not have. */
const settings = {
  type: 'custom',
  spam_action: 'disabled',
  wildcard: false,
  is_disabled: false,
  require_tls: false,
  skip_verification: false,
  web_prefix: '',
  web_scheme: 'http',
} as const
const stateSchema = z.enum(['active', 'unverified'])
const domainSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  state: stateSchema,
  created_at: z.string(),
  smtp_login: z.string(),
  ...constantMembers(settings),
})
type MailgunDomain = z.output<typeof domainSchema>
const recordSchema = z.strictObject({
  record_type: z.enum(['TXT', 'MX']),
  name: z.string(),
  value: z.string(),
  priority: z.string().optional(),
  valid: z.enum(['valid', 'unknown']),
  is_active: z.boolean(),
  cached: z.array(z.string()),
})
const detailSchema = z.strictObject({
  message: z.string().optional(),
  domain: domainSchema,
  sending_dns_records: z.array(recordSchema),
  receiving_dns_records: z.array(recordSchema),
})

const noAddresses = notSupported('there are no IP addresses of domains')
const ignored = z.string().max(1000).optional().describe('Has no effect')
const newDomainSchema = z.strictObject({
  name: z.string().min(1).max(320),
  smtp_password: ignored,
  spam_action: ignored,
  wildcard: ignored,
  force_dkim_authority: ignored,
  dkim_key_size: ignored,
  web_scheme: ignored,
  web_prefix: ignored,
  use_automatic_sender_security: ignored,
  ips: noAddresses,
  pool_id: noAddresses,
})

/** `/v4/domains`, which are at `/v3/domains` too. */
export function domainRoutes({ domains }: Pick<ProviderParts, 'domains'>): Route[] {
  async function find(name: string): Promise<DomainDetail> {
    const found = await findDomain(domains, name)
    if (found) return found
    throw notFound('domain', name)
  }

  return ['v4', 'v3'].flatMap((version) => {
    const path = `/mailgun/${version}/domains` as const
    return [
      get(path, {
        summary: 'List domains, newest first',
        query: z.strictObject({
          limit: queryNumber(1, 1000).optional().describe('Default: 100'),
          skip: queryNumber(0).optional().describe('How many are left out. Default: 0'),
          state: stateSchema.optional(),
          search: z.string().max(320).optional().describe('A part of the name'),
        }),
        success: { schema: z.strictObject({ total_count: z.int(), items: z.array(domainSchema) }) },
        async handler({ query: { limit = 100, skip = 0, state, search = '' } }) {
          const items: MailgunDomain[] = []
          for await (const listed of allOf(domains.list)) {
            const domain = toDomain(listed)
            const isWanted = state === undefined || domain.state === state
            if (isWanted && domain.name.includes(search.toLowerCase())) items.push(domain)
          }
          return { total_count: items.length, items: items.slice(skip, skip + limit) }
        },
      }),
      post(path, {
        summary: 'Create a domain',
        body: { schema: newDomainSchema, maxBytes: bodyLimits.small, forms: 'also' },
        success: { schema: detailSchema },
        errors: ['domain_exists'],
        async handler({ body: { name } }) {
          const { id } = await domains.create({ name })
          return { message: 'Domain has been created', ...toDetail(await domains.get(id)) }
        },
      }),
      get(`${path}/{domain}`, {
        summary: 'Get a domain',
        success: { schema: detailSchema },
        handler: async ({ params }) => toDetail(await find(params.domain)),
      }),
      put(`${path}/{domain}/verify`, {
        summary: 'Look up the records of a domain in DNS',
        success: { schema: detailSchema },
        async handler({ params }) {
          const { id } = await find(params.domain)
          await domains.verify(id)
          return { message: 'Domain DNS records have been updated', ...toDetail(await domains.get(id)) }
        },
      }),
      del(`${path}/{domain}`, {
        summary: 'Remove a domain',
        success: { schema: z.strictObject({ message: z.string() }) },
        async handler({ params }) {
          await domains.remove((await find(params.domain)).id)
          return { message: 'Domain has been deleted' }
        },
      }),
    ]
  })
}

const isActive = (status: DomainStatus): boolean => status === 'SUCCESS'

function toDomain({ id, name, status }: DomainListItem | DomainDetail): MailgunDomain {
  return {
    id,
    name,
    state: isActive(status) ? 'active' : 'unverified',
    created_at: toTime(timeOfId(id)),
    smtp_login: `postmaster@${name}`,
    ...settings,
  }
}

function toDetail(domain: DomainDetail): z.output<typeof detailSchema> {
  return {
    domain: toDomain(domain),
    sending_dns_records: domain.dns_records.map((record) => toRecord(record, domain.status)),
    receiving_dns_records: [],
  }
}

function toRecord(record: DnsRecord, status: DomainStatus): z.output<typeof recordSchema> {
  const { type, name, value } = record
  return {
    record_type: type,
    name,
    value,
    priority: record.type === 'MX' ? String(record.priority) : undefined,
    valid: isActive(status) ? 'valid' : 'unknown',
    is_active: true,
    cached: [],
  }
}
