import { z } from 'zod'
import { timeOfId } from '../../core/ids.ts'
import type { DnsRecord, DomainDetail, DomainListItem, DomainStatus } from '../../domains/types.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import { notFound } from '../../store/repository.ts'
import { allOf } from '../all-of.ts'
import { findDomain } from '../find-domain.ts'
import type { ProviderParts } from '../provider.ts'
import { toTime } from './conventions.ts'
import {
  domainDetailSchema,
  domainListSchema,
  domainQuerySchema,
  newDomainSchema,
  type MailgunDnsRecord,
  type MailgunDomain,
} from './domain-schema.ts'
import { mailgunFace } from './face.ts'

const { get, post, put, del } = defineRoutes({ tag: 'Domains', access: 'key', face: mailgunFace })

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
        query: domainQuerySchema,
        success: { schema: domainListSchema },
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
        success: { schema: domainDetailSchema },
        errors: ['domain_exists'],
        async handler({ body: { name } }) {
          const { id } = await domains.create({ name })
          return { message: 'Domain has been created', ...toDetail(await domains.get(id)) }
        },
      }),
      get(`${path}/{domain}`, {
        summary: 'Get a domain',
        success: { schema: domainDetailSchema },
        handler: async ({ params }) => toDetail(await find(params.domain)),
      }),
      put(`${path}/{domain}/verify`, {
        summary: 'Look up the records of a domain in DNS',
        success: { schema: domainDetailSchema },
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
    type: 'custom',
    created_at: toTime(timeOfId(id)),
    smtp_login: `postmaster@${name}`,
    spam_action: 'disabled',
    wildcard: false,
    is_disabled: false,
    require_tls: false,
    skip_verification: false,
    web_prefix: '',
    web_scheme: 'http',
  }
}

function toDetail(domain: DomainDetail): object {
  return {
    domain: toDomain(domain),
    sending_dns_records: domain.dns_records.map((record) => toRecord(record, domain.status)),
    receiving_dns_records: [],
  }
}

function toRecord(record: DnsRecord, status: DomainStatus): MailgunDnsRecord {
  const { type, name, value } = record
  return {
    record_type: type,
    name,
    value,
    ...(record.type === 'MX' && { priority: String(record.priority) }),
    valid: isActive(status) ? 'valid' : 'unknown',
    is_active: true,
    cached: [],
  }
}
