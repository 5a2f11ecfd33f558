import { toDomainName, zoneOf } from '../domains/names.ts'

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
