import { toDomainName, zoneOf } from '../domains/names.ts'
import type { Zone } from '../domains/zone.ts'

/** How DMARC compares two domains: by their organisational domain, or exactly. */
export type AlignmentMode = 'relaxed' | 'strict'

/**
 * Whether two domains are aligned according to DMARC. The organisational domain is found by the public suffix list.
 *
 * @see RFC 7489 section 3.1
 */
export function isAligned(one: string, other: string, mode: AlignmentMode): boolean {
  const [a, b] = [toDomainName(one) ?? one.toLowerCase(), toDomainName(other) ?? other.toLowerCase()]
  return a === b || (mode === 'relaxed' && (zoneOf(a) ?? a) === (zoneOf(b) ?? b))
}

/** A DMARC record. */
export interface DmarcRecord {
  /** Its name in DNS: `_dmarc.acme.com`. */
  name: string
  /** How the domain of the DKIM signature is compared. */
  dkim: AlignmentMode
  /** How the domain of the envelope sender is compared. */
  spf: AlignmentMode
  /** Faults for which receivers ignore the record or a part of it, as sentences. */
  faults: string[]
}

/**
 * Finds the DMARC record for a domain of From: its own, or that of its organisational domain.
 *
 * @param domain  In lower case, IDN as A-labels.
 * @returns Null if there is none; `unknown` if the records are not known here.
 * @see RFC 7489 section 6.6.3
 */
export function findDmarc(domain: string, zone: Zone): DmarcRecord | 'unknown' | null {
  for (const owner of new Set([domain, zoneOf(domain) ?? domain])) {
    const name = `_dmarc.${owner}`
    const found = zone.find(name, 'TXT')
    if (found === null) return 'unknown'
    const records = found.filter((text) => /^\s*v\s*=\s*DMARC1\s*(?:;|$)/.test(text))
    const [record] = records
    if (record === undefined) continue
    const parsed = parseDmarc(name, record)
    if (records.length === 1) return parsed
    return {
      ...parsed,
      faults: [`There are ${records.length} DMARC records at ${name}, so receivers ignore all of them.`],
    }
  }
  return null
}

function parseDmarc(name: string, record: string): DmarcRecord {
  const tags = new Map<string, string>()
  for (const part of record.split(';', 100)) {
    const equals = part.indexOf('=')
    if (equals > 0) tags.set(part.slice(0, equals).trim().toLowerCase(), part.slice(equals + 1).trim())
  }
  const mode = (tag: string): AlignmentMode => (tags.get(tag)?.toLowerCase() === 's' ? 'strict' : 'relaxed')
  return { name, dkim: mode('adkim'), spf: mode('aspf'), faults: faultsOf(tags, name) }
}

function faultsOf(tags: ReadonlyMap<string, string>, name: string): string[] {
  const faults: string[] = []
  const policy = tags.get('p')
  if (policy === undefined) faults.push(`The DMARC record ${name} has no policy (p=).`)
  else if (!/^(?:none|quarantine|reject)$/i.test(policy))
    faults.push(`The policy of ${name} is ${JSON.stringify(policy)}; it is none, quarantine or reject.`)
  for (const tag of ['adkim', 'aspf']) {
    const value = tags.get(tag)
    if (value !== undefined && !/^[rs]$/i.test(value))
      faults.push(`The tag ${tag} of ${name} is ${JSON.stringify(value)}; it is r or s.`)
  }
  for (const tag of ['rua', 'ruf']) {
    const uris = tags.get(tag)?.split(',') ?? []
    if (uris.some((uri) => !/^\s*mailto:[^\s@]+@[^\s@]+$/i.test(uri)))
      faults.push(`The tag ${tag} of ${name} is not a list of mailto: addresses.`)
  }
  return faults
}
