import { domainToASCII } from 'node:url'
import { addressKey, normalizeAddress } from '../mime/headers/addresses.ts'
import { matchesGlob } from '../core/glob.ts'

/** The recipients that a rule matches. */
export interface Match {
  /** Whether it names a single address. */
  readonly isExact: boolean
  /** @param recipient  A bare address, as an envelope has it. */
  test(recipient: string): boolean
}

/**
 * Reads the `match` of a rule: an address (`ada@example.com`), a domain (`example.com`, `@example.com`), or a pattern
 * with `*` (`*@*.example.com`, `bounce-*@example.com`, `*`). Case does not count; a domain may be internationalised.
 *
 * @returns The match, or what is wrong with it as the end of a sentence.
 */
export function readMatch(given: string): Match | { problem: string } {
  const text = given.trim().normalize('NFC').toLowerCase()
  if (text === '') return { problem: 'must not be empty' }
  if (text.length > maxMatchLength) return { problem: `must have at most ${maxMatchLength} characters` }
  if (/[\x00-\x1f\x7f]/.test(text)) return { problem: 'has a control character' }
  const at = text.lastIndexOf('@')
  const local = at <= 0 ? '*' : text.slice(0, at)
  const domain = text.slice(at + 1)
  const ascii = domain.includes('*') ? patternToAscii(domain) : toAscii(domain)
  if (typeof ascii !== 'string') return ascii
  const isExact = !local.includes('*') && !domain.includes('*')
  if (isExact) {
    const checked = normalizeAddress(`${local}@${ascii}`)
    if ('problem' in checked) return checked
  }
  return { isExact, test: (recipient) => isMatch(local, ascii, addressKey(recipient)) }
}

/** How many characters the `match` of a rule may have. */
export const maxMatchLength = 320

function isMatch(local: string, domain: string, recipient: string): boolean {
  const at = recipient.lastIndexOf('@')
  // Only `postmaster` may come without a domain.
  const [name, host] = at === -1 ? [recipient, ''] : [recipient.slice(0, at), recipient.slice(at + 1)]
  return matchesGlob(local, name) && matchesGlob(domain, host)
}

// `normalizeAddress` checks domains, as those of addresses: `x@` stands before the domain, and is cut off again.
function toAscii(domain: string): string | { problem: string } {
  const checked = normalizeAddress(`x@${domain}`)
  return 'problem' in checked ? checked : checked.address.slice(2).toLowerCase()
}

// Label by label, because a label with `*` cannot be converted.
function patternToAscii(domain: string): string | { problem: string } {
  const labels = domain.split('.').map((label) => (label.includes('*') ? label : domainToASCII(label)))
  const isHostPattern = labels.every((label) => /^[a-z0-9_*-]+$/.test(label))
  return isHostPattern ? labels.join('.') : { problem: 'has a domain that is no pattern of a host name' }
}
