import { parseAddresses } from '../mime/headers/addresses.ts'
import { domainOf } from './alignment.ts'
import { findDmarc } from './dmarc.ts'
import { evaluateSpf, maxLookups, readSpf } from './spf.ts'
import { fieldsOf, type CheckedMail, type CheckRow, type Found } from './subject.ts'

/** Checks of the DNS records that receivers look up, from a zone file and the records of the own domains. */
export const recordChecks: readonly CheckRow[] = [
  {
    id: 'spf',
    title: 'SPF lets the sending hosts send for the envelope sender',
    group: 'Deliverability',
    severity: 'error',
    about:
      'The SPF record of the envelope sender: duplicate or broken records, more than ten look-ups, and whether each host ' +
      'of `--sending-host` passes. The records come from the zone file of `--zone`.',
    fix: 'Publish one SPF record that names your sending hosts, and ends in ~all or -all.',
    link: 'https://www.rfc-editor.org/rfc/rfc7208',
    run({ mail, dns: { zone, sendingHosts } }) {
      const domain = domainOf(mail.envelope.mail_from)
      if (mail.size_bytes === 0 || domain === null) return null
      const notKnown = {
        skipped: `The DNS records of ${domain} are not known here; name a zone file with --zone.`,
      }
      const records = zone.find(domain, 'TXT')
      if (records === null) return notKnown
      const place = { header: 'Return-Path', snippet: mail.envelope.mail_from }
      if (!records.some((text) => /^v=spf1(?: |$)/i.test(text))) {
        const message = `${domain} has no SPF record, so receivers do not know which servers may send for it.`
        return [{ severity: 'warning', message, place }]
      }
      const { lookups, faults, unknown } = readSpf(domain, zone)
      if (faults.length > 0) return faults.map((message) => ({ message, place }))
      if (lookups > maxLookups) return [tooManyLookups(domain, lookups, place)]
      const found: Found[] = []
      const open = new Set(sendingHosts.length === 0 ? unknown : [])
      for (const ip of sendingHosts) {
        const { result, reason } = evaluateSpf(
          domain,
          { ip, sender: mail.envelope.mail_from, helo: domain },
          zone,
        )
        if (result === 'unknown') open.add(reason ?? domain)
        if (result === 'pass' || result === 'unknown') continue
        const why = reason === null ? '' : `: ${reason}`
        const message = `SPF does not let ${ip} send for ${domain}: the result is ${result}${why}.`
        const fix = `Add ${ip.includes(':') ? 'ip6' : 'ip4'}:${ip} to the SPF record of ${domain}.`
        found.push({ message, place, ...(reason === null && { fix }) })
      }
      if (found.length > 0 || open.size === 0) return found
      return {
        skipped: `Not all records that SPF needs for ${domain} are known here: ${[...open].join(', ')}.`,
      }
    },
  },
  {
    id: 'dmarc-record',
    title: 'The domain in From has a valid DMARC record',
    group: 'Deliverability',
    severity: 'error',
    about:
      'The DMARC record of the domain in From, or of its organisation: a missing, duplicate or broken one. It comes from ' +
      'the own domains and the zone file of `--zone`.',
    fix: 'Publish one TXT record, at least `v=DMARC1; p=none`.',
    link: 'https://www.rfc-editor.org/rfc/rfc7489#section-6.3',
    run({ mail, dns: { zone } }) {
      const domain = fromDomain(mail)
      if (mail.size_bytes === 0 || domain === null) return null
      const record = findDmarc(domain, zone)
      if (record === 'unknown')
        return { skipped: `The DNS records of ${domain} are not known here; name a zone file with --zone.` }
      const place = { header: 'From' }
      if (record === null) {
        const message = `${domain} has no DMARC record. Gmail and Yahoo require one of bulk senders.`
        return [{ severity: 'warning', message, place }]
      }
      return record.faults.map((message) => ({ message, place }))
    },
  },
  {
    id: 'bimi-record',
    title: 'The BIMI record names a logo',
    group: 'Deliverability',
    severity: 'warning',
    about:
      'The BIMI record of the domain in From, where the zone file of `--zone` has one: its form, and that the logo is an ' +
      'SVG at an https address. The logo is not fetched.',
    fix: 'Publish `v=BIMI1; l=https://…/logo.svg; a=https://…/certificate.pem`.',
    link: 'https://datatracker.ietf.org/doc/draft-brand-indicators-for-message-identification/',
    run({ mail, dns: { zone } }) {
      const domain = fromDomain(mail)
      if (mail.size_bytes === 0 || domain === null) return null
      const selector = /;\s*s\s*=\s*([\w-]+)/i.exec(
        (fieldsOf(mail, 'bimi-selector')[0] ?? '').slice(0, 1000),
      )?.[1]
      const name = `${selector ?? 'default'}._bimi.${domain}`
      const records = zone.find(name, 'TXT')
      const place = { header: selector === undefined ? 'From' : 'BIMI-Selector' }
      if (records === null || (records.length === 0 && selector === undefined)) return null
      return bimiFaults(name, records).map((message) => ({ message, place }))
    },
  },
]

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

function bimiFaults(name: string, records: readonly string[]): string[] {
  if (records.length === 0) return [`The mail chooses the BIMI record ${name}, which does not exist.`]
  if (records.length > 1) return [`There are ${records.length} TXT records at ${name}, and may be one.`]
  const [record = ''] = records
  if (!/^\s*v\s*=\s*BIMI1\s*;/i.test(record)) return [`The record ${name} does not begin with v=BIMI1.`]
  const logo = /;\s*l\s*=\s*([^;\s]*)/i.exec(record)?.[1]
  // An empty one says that there is no logo.
  if (logo === '') return []
  if (logo === undefined) return [`The record ${name} names no logo (l=).`]
  const isLogo = URL.canParse(logo) && /^https:/i.test(logo) && /\.svgz?$/i.test(new URL(logo).pathname)
  return isLogo ? [] : [`The logo of ${name} is not an SVG at an https address: ${logo.slice(0, 200)}.`]
}

function fromDomain(mail: CheckedMail): string | null {
  const [first] = parseAddresses((fieldsOf(mail, 'from')[0] ?? '').slice(0, 10_000))
  return first ? domainOf(first.address) : null
}
