import type {
  DnsRecord,
  DomainDetail,
  DomainListItem,
  DomainSettings,
  DomainStatus,
} from '../../domains/types.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import { allOf } from '../all-of.ts'
import type { ProviderParts } from '../provider.ts'
import { toTime } from './conventions.ts'
import {
  changedDomainSchema,
  createdDomainSchema,
  domainChangesSchema,
  domainSchema,
  listedDomainSchema,
  newDomainSchema,
  region,
  removedDomainSchema,
  type ResendDomain,
  type ResendDomainChanges,
  type ResendListedDomain,
} from './domain-schema.ts'
import { resendFace } from './face.ts'
import { listSchema, maxPage, pageOf, pageQuery, toList } from './lists.ts'
import { assertSameId } from './same-id.ts'

const { get, post, patch, del } = defineRoutes({ tag: 'Domains', access: 'key', face: resendFace })

/** Our states of a domain in Resend's words. */
const statuses = {
  NOT_STARTED: 'not_started',
  PENDING: 'pending',
  SUCCESS: 'verified',
  FAILED: 'failed',
  TEMPORARY_FAILURE: 'failed',
} as const satisfies Record<DomainStatus, string>

/** `/resend/domains`. */
export function domainRoutes({ domains }: ProviderParts): Route[] {
  return [
    post('/resend/domains', {
      summary: 'Create a domain',
      body: { schema: newDomainSchema, maxBytes: bodyLimits.small },
      success: { status: 201, schema: createdDomainSchema },
      errors: ['domain_exists'],
      async handler({ body }) {
        // If the second commit fails, the domain stays, with the default settings, which a PATCH can change.
        const { id } = await domains.create({ name: body.name })
        return toDetail(await domains.update(id, toSettings(body)))
      },
    }),
    get('/resend/domains', {
      summary: 'List domains, newest first',
      query: pageQuery(maxPage),
      success: { schema: listSchema(listedDomainSchema) },
      async handler({ query }) {
        const { items, more } = await pageOf('domain', allOf(domains.list), query)
        return toList(items.map(toListed), more)
      },
    }),
    get('/resend/domains/{id}', {
      summary: 'Get a domain',
      success: { schema: domainSchema },
      handler: async ({ params }) => ({ object: 'domain', ...toDetail(await domains.get(params.id)) }),
    }),
    patch('/resend/domains/{id}', {
      summary: 'Change whether opens and clicks of a domain are tracked',
      body: { schema: domainChangesSchema, maxBytes: bodyLimits.small },
      success: { schema: changedDomainSchema },
      async handler({ params, body }) {
        assertSameId('id', body.id, params.id)
        const { id } = await domains.update(params.id, toSettings(body))
        return { object: 'domain', id }
      },
    }),
    post('/resend/domains/{id}/verify', {
      summary: 'Look up the records of a domain in DNS',
      success: { schema: changedDomainSchema },
      async handler({ params }) {
        const { id } = await domains.verify(params.id)
        return { object: 'domain', id }
      },
    }),
    del('/resend/domains/{id}', {
      summary: 'Remove a domain',
      success: { schema: removedDomainSchema },
      async handler({ params: { id } }) {
        await domains.remove(id)
        return { object: 'domain', id, deleted: true }
      },
    }),
  ]
}

function toSettings({ open_tracking, click_tracking }: ResendDomainChanges): DomainSettings {
  return {
    ...(open_tracking !== undefined && { open_tracking_enabled: open_tracking }),
    ...(click_tracking !== undefined && { click_tracking_enabled: click_tracking }),
  }
}

function toListed({ id, name, status, created }: DomainListItem | DomainDetail): ResendListedDomain {
  const capabilities = { sending: 'enabled', receiving: 'disabled' } as const
  return { id, name, status: statuses[status], created_at: toTime(created), region, capabilities }
}

function toDetail(domain: DomainDetail): ResendDomain {
  const { open_tracking_enabled, click_tracking_enabled, dns_records, status } = domain
  return {
    ...toListed(domain),
    open_tracking: open_tracking_enabled,
    click_tracking: click_tracking_enabled,
    // Resend has no record for DMARC.
    records: dns_records.flatMap((record) => (record.required ? toRecord(record, status) : [])),
  }
}

function toRecord(record: DnsRecord, status: DomainStatus): ResendDomain['records'][number] {
  const { name, type, value } = record
  return {
    record: record.for === 'DKIM' ? 'DKIM' : 'SPF',
    name,
    type,
    ttl: 'Auto',
    status: statuses[status],
    value,
    ...(record.type === 'MX' && { priority: record.priority }),
  }
}
