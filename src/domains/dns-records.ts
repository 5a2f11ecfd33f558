import type { DkimKey } from './domain.ts'
import type { DnsRecord } from './types.ts'
import { zoneOf } from './names.ts'

/** Values of the DNS records that the instance's options decide. */
export interface DnsSettings {
  /** Value of the MX record. */
  feedbackHost: string
  /** Host that the SPF record includes. */
  spfInclude: string
  /** First label of the DKIM name of new keys. */
  selector: string
}

/**
 * The four records that the owner of a domain publishes, in the order of docs/interface.md 2.5.
 *
 * @param name  As stored; the records' names are relative to its registrable domain.
 */
export function dnsRecords(
  name: string,
  key: Pick<DkimKey, 'selector' | 'public_key'>,
  dns: DnsSettings,
): DnsRecord[] {
  const zone = zoneOf(name) ?? name
  const below = name === zone ? '' : `.${name.slice(0, -zone.length - 1)}`
  const mailFrom = { name: `mail${below}`, required: true, for: 'MAIL FROM domain' } as const
  return [
    {
      type: 'TXT',
      name: `${key.selector}._domainkey${below}`,
      value: `p=${key.public_key}`,
      required: true,
      for: 'DKIM',
    },
    { type: 'MX', ...mailFrom, value: dns.feedbackHost, priority: 10 },
    { type: 'TXT', ...mailFrom, value: `v=spf1 include:${dns.spfInclude} ~all` },
    {
      type: 'TXT',
      name: `_dmarc${below}`,
      value: 'v=DMARC1; p=none;',
      required: false,
      for: 'DMARC (highly recommended)',
    },
  ]
}

/** The whole name of a record of a domain, as a resolver is asked for it. */
export function absoluteName(record: DnsRecord, domainName: string): string {
  return `${record.name}.${zoneOf(domainName) ?? domainName}`
}
