import type { Complete } from '../core/complete.ts'
import type { DkimKey, DomainRecord } from './domain.ts'
import type { CreatedBy, DomainDetail, DomainListItem } from './types.ts'
import { type DnsSettings, dnsRecords } from './dns-records.ts'

/** A domain as the list shows it, docs/interface.md 2.4. */
export function toDomainListItem(
  domain: DomainRecord,
  key: DkimKey,
  dns: DnsSettings,
  account: CreatedBy,
): Complete<DomainListItem> {
  return { ...commonMembers(domain, key, dns), created_by: { ...account } }
}

/** A domain in detail, docs/interface.md 2.4. */
export function toDomainDetail(
  domain: DomainRecord,
  key: DkimKey,
  dns: DnsSettings,
  account: CreatedBy,
): Complete<DomainDetail> {
  return {
    ...commonMembers(domain, key, dns),
    created_by: { ...account, type: 'user' },
    open_tracking_enabled: domain.open_tracking_enabled,
    click_tracking_enabled: domain.click_tracking_enabled,
  }
}

function commonMembers(
  domain: DomainRecord,
  key: DkimKey,
  dns: DnsSettings,
): Complete<Omit<DomainListItem, 'created_by'>> {
  return {
    id: domain.id,
    name: domain.name,
    status: domain.status,
    verified_for_sending_status: domain.status === 'SUCCESS',
    verification_info: domain.verification_info,
    public_key: key.public_key,
    dns_records: dnsRecords(domain.name, key, dns),
    created: domain.created,
    is_warmed_up: domain.is_warmed_up,
    warmed_up_at: domain.warmed_up_at,
  }
}
