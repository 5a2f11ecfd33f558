import { domainOf, firstDomain } from '../checks/address-domains.ts'
import type { CheckedMail } from '../checks/check.ts'
import { dkimKeyCollection } from '../domains/dkim-keys.ts'
import { absoluteName, dnsRecords, type DnsSettings } from '../domains/dns-records.ts'
import { domainCollection } from '../domains/domain.ts'
import { zoneOf } from '../domains/names.ts'
import type { ZoneRecord } from '../domains/zone.ts'
import type { Store } from '../store/store.ts'

/** Finds the DNS records of the account's own domains that a mail's receivers would look up. */
export type OwnRecords = (mail: CheckedMail) => Promise<ZoneRecord[]>

/** Uses the records that the owner of each domain should publish. */
export function createOwnRecords(store: Store, dns: DnsSettings): OwnRecords {
  return async (mail) => {
    const shared = await store.get(dkimKeyCollection, 'shared')
    const records: ZoneRecord[] = []
    for (const name of namesOf(mail)) {
      const domain = await store.find(domainCollection, 'name', [name])
      const key = domain?.dkim ?? shared
      if (!domain || !key) continue
      for (const record of dnsRecords(name, key, dns))
        records.push({ name: absoluteName(record, name), type: record.type, value: record.value })
    }
    return records
  }
}

/** The MAIL FROM domain may be `mail.` below a registered one, and DMARC is also looked up at the organizational domain. */
function namesOf(mail: CheckedMail): Set<string> {
  const named = [firstDomain(mail, 'from'), domainOf(mail.envelope.mail_from), mail.dkim?.domain]
  return new Set(
    named.flatMap((name) => {
      if (!name) return []
      const above = name.slice(name.indexOf('.') + 1)
      return [name, ...(above.includes('.') ? [above] : []), zoneOf(name) ?? name]
    }),
  )
}
