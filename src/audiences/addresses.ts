import { domainToASCII } from 'node:url'
import { quote } from '../core/quote.ts'

/**
 * What is wrong with a contact's address, or null. One `@`, lengths of RFC 5321, no white space or control
 * characters, and none of the characters that separate addresses in a header; IDN is fine.
 */
export function contactAddressFault(email: string): string | null {
  const fault = firstFault(email)
  return fault && `${quote(email)} ${fault}`
}

/** The key of a contact within its audience: the address, case-folded. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase()
}

/** The first fault: of single characters, then of the parts in front of and behind the `@`. */
function firstFault(email: string): string | null {
  if (email === '') return 'is empty; give an address such as "ada@example.com"'
  // Format characters (zero-width, direction marks) make two addresses look the same.
  if (/[\s\p{Cc}\p{Cf}\p{Cs}]/u.test(email)) return 'has white space or a control character in it'
  if (/[<>()[\],;:\\"]/.test(email))
    return 'is not a bare address; give it without name and brackets, and one only'
  const [local, domain, ...rest] = email.split('@')
  if (local === undefined || domain === undefined || rest.length > 0) {
    return `must have exactly one @, as in "ada@example.com"`
  }
  if (local === '') return 'has nothing before the @'
  if (Buffer.byteLength(local) > 64) return 'has more than 64 octets before the @'
  return domainFault(domain)
}

function domainFault(domain: string): string | null {
  if (domain === '') return 'has nothing after the @'
  if (domain.split('.').includes('')) return 'has an empty label in its domain'
  const ascii = /^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) ? domainToASCII(domain) : ''
  if (ascii === '') return `has a domain that is not valid: ${quote(domain)}`
  return ascii.length > 255 || ascii.split('.').some((label) => label.length > 63)
    ? 'has a domain that is too long'
    : null
}
