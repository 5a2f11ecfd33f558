import { domainOf, firstDomain } from './address-domains.ts'
import { findDmarc } from './dmarc.ts'
import { evaluateSpf, maxLookups, readSpf } from './spf.ts'
import type { CheckResult, CheckRow, Found } from './check.ts'

/** Checks of the DNS records that receivers look up, from a zone file and the records of the instance's domains. */
export const recordChecks: readonly CheckRow[] = [
  {
    id: 'spf',
    title: 'SPF lets the sending hosts send for the envelope sender',
    headline: 'SPF does not pass for the envelope sender',
    severity: 'error',
    about:
      'The SPF record of the envelope sender: duplicate or broken records, more than ten look-ups, and whether each host ' +
      'of `--sending-host` passes. The records come from the zone file of `--zone`.',
    fix: 'Publish one SPF record that names your sending hosts, and ends in ~all or -all.',
    link: 'https://www.rfc-editor.org/rfc/rfc7208',
    run({ mail, dns: { zone, sendingHosts } }) {
      const domain = domainOf(mail.envelope.mail_from)
      if (mail.size_bytes === 0 || domain === null) return null
      const records = zone.find(domain, 'TXT')
      if (records === null) return unknownRecords(domain)
      const place = { header: 'Return-Path', snippet: mail.envelope.mail_from }
      if (!records.some((text) => /^v=spf1(?: |$)/i.test(text))) {
        const message = `${domain} has no SPF record, so receivers do not know which servers may send for it.`
        return [{ severity: 'warning', message, place }]
      }
      const { lookups, faults, unknown } = readSpf(domain, zone)
      if (faults.length > 0) return faults.map((message) => ({ message, place }))
      if (lookups > maxLookups) return [tooManyLookups(domain, lookups, place)]
      const found: Found[] = []
      const missing = new Set(sendingHosts.length === 0 ? unknown : [])
      for (const ip of sendingHosts) {
        const sender = { ip, sender: mail.envelope.mail_from, helo: domain }
        const { result, reason } = evaluateSpf(domain, sender, zone)
        if (result === 'unknown') missing.add(reason ?? domain)
        if (result === 'pass' || result === 'unknown') continue
        const why = reason === null ? '' : `: ${reason}`
        const message = `SPF does not let ${ip} send for ${domain}: the result is ${result}${why}.`
        const fix = `Add ${ip.includes(':') ? 'ip6' : 'ip4'}:${ip} to the SPF record of ${domain}.`
        found.push({ message, place, ...(reason === null && { fix }) })
      }
      if (found.length > 0 || missing.size === 0) return found
      const names = [...missing].join(', ')
      return { skipped: `Not all records that SPF needs for ${domain} are known here: ${names}.` }
    },
  },
  {
    id: 'dmarc-record',
    title: 'The domain in From has a valid DMARC record',
    headline: 'No valid DMARC record',
    severity: 'error',
    about:
      'The DMARC record of the domain in From, or of its organisation: a missing, duplicate or broken one. It comes from ' +
      "the instance's own domains and the zone file of `--zone`.",
    fix: 'Publish one TXT record, at least `v=DMARC1; p=none`.',
    link: 'https://www.rfc-editor.org/rfc/rfc7489#section-6.3',
    run({ mail, dns: { zone } }) {
      const domain = firstDomain(mail, 'from')
      if (mail.size_bytes === 0 || domain === null) return null
      const record = findDmarc(domain, zone)
      if (record === 'unknown') return unknownRecords(domain)
      const place = { header: 'From' }
      if (record === null) {
        const message = `${domain} has no DMARC record. Gmail and Yahoo require one of bulk senders.`
        return [{ severity: 'warning', message, place }]
      }
      return record.faults.map((message) => ({ message, place }))
    },
  },
]

function unknownRecords(domain: string): CheckResult {
  return { skipped: `The DNS records of ${domain} are not known here; name a zone file with --zone.` }
}

function tooManyLookups(domain: string, lookups: number, place: Found['place'] & object): Found {
  return {
    message:
      `The SPF record of ${domain} needs ${lookups} DNS look-ups. Receivers stop after ${maxLookups} and treat the ` +
      'record as broken, so SPF fails for every mail.',
    place,
    fix: 'Remove the includes of services that you no longer use, or name their IP ranges instead.',
    link: 'https://www.rfc-editor.org/rfc/rfc7208#section-4.6.4',
  }
}
