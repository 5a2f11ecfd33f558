import { fieldOf } from '../core/header-fields.ts'
import { toDomainName, zoneOf } from '../domains/names.ts'
import { parseAddresses } from '../mime/headers/addresses.ts'
import { readLength } from './lengths.ts'
import type { CheckedMail } from './check.ts'

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

/** The domain of a bare address; null without one. */
export function domainOf(address: string): string | null {
  const at = address.lastIndexOf('@')
  return at === -1 || at === address.length - 1 ? null : address.slice(at + 1).toLowerCase()
}

/** The domain of the first address of a header field, by its name in lower case; null without one. */
export function firstDomain(mail: Pick<CheckedMail, 'headers'>, field: string): string | null {
  const [first] = parseAddresses((fieldOf(mail.headers, field) ?? '').slice(0, readLength))
  return first ? domainOf(first.address) : null
}
