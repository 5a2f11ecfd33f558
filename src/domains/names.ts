import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { validationError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'

/**
 * A domain name as it is stored: lower case, without a trailing dot, IDN as A-labels.
 *
 * @param field  The member that an error names.
 * @throws validation_error saying what is wrong with the name and what to give instead.
 */
export function parseDomainName(given: string, field = 'name'): string {
  const result = readDomainName(given)
  if (typeof result === 'string') return result
  throw validationError([{ field, message: `${quote(given)} ${result.fault}` }])
}

/** The same for names that mail mentions: null if one could not be a sending domain. */
export function toDomainName(given: string): string | null {
  const result = readDomainName(given)
  return typeof result === 'string' ? result : null
}

/**
 * The domain that was registered at a registry, and so the DNS zone that the owner of a name edits: `acme.co.uk` for
 * `mail.acme.co.uk`. Null for a public suffix.
 *
 * Suffixes that companies run count (`acme.uk.com` is a zone of its own), unless the name is such a suffix itself:
 * then it is its company's ordinary domain.
 */
export function zoneOf(name: string): string | null {
  const [, reserved] = reservedZone.exec(name) ?? []
  if (reserved !== undefined) return reserved
  const { getDomain } = suffixes()
  return getDomain(name, { allowPrivateDomains: true }) ?? getDomain(name)
}

/** The reserved names of RFC 2606, which have no registered domains below them. Mail in tests is often from one. */
const reservedZone =
  /^(?:[a-z0-9]+(?:-+[a-z0-9]+)*\.)*([a-z0-9]+(?:-+[a-z0-9]+)*\.(?:test|example|invalid|localhost)|example\.(?:com|net|org))$/

type Suffixes = Pick<typeof import('tldts'), 'getDomain'>

let tldts: Suffixes | undefined

/** The list of public suffixes takes 20 ms to load and 5 MiB, and mail of known domains needs none of it. */
function suffixes(): Suffixes {
  tldts ??= createRequire(import.meta.url)('tldts') as Suffixes
  return tldts
}

/** The first fault decides: a pasted URL or address is reported as such, before a character that names do not have. */
function readDomainName(given: string): string | { fault: string } {
  if (given === '') return { fault: 'is empty; give a domain such as "acme.com"' }
  if (/[:/?#]/.test(given)) return { fault: urlFault(given) }
  if (given.includes('@'))
    return { fault: `is an address; give the part after the @: ${quote(given.split('@').at(-1))}` }
  if (/\s/.test(given)) return { fault: 'has white space in it; give the name without' }
  if (given.includes('_'))
    return { fault: 'has an underscore, which the name of a sending domain must not have' }
  const odd = /[^a-z0-9.\-\u0080-\uffff]/i.exec(given)
  if (odd) return { fault: `has the character ${quote(odd[0])}; use letters, digits, hyphens and dots` }
  if (isIP(given.replace(/\.$/, ''))) return { fault: ipAddressFault }
  const labels = given.toLowerCase().replace(/\.$/, '').split('.')
  if (labels.includes('')) return { fault: 'has an empty label: two dots in a row, or one in front' }
  const name = domainToASCII(labels.join('.'))
  if (name === '') return { fault: 'is not a valid domain name; check its spelling' }
  // The URL standard reads `0x7f.1` and `1.2.3` as IP addresses, and other programs may do so too.
  if (isIP(name)) return { fault: ipAddressFault }
  const fault = labelFault(name.split('.'))
  if (fault) return { fault }
  if (name.length > maxNameLength)
    return { fault: `has ${name.length} characters; at most ${maxNameLength} are allowed` }
  if (zoneOf(name) === null)
    return { fault: `is a public suffix; give a domain below it, such as "acme.${name}"` }
  return name
}

/** As A-labels, without the dot at the end (RFC 1035 section 2.3.4). */
export const maxNameLength = 253
const ipAddressFault = 'is an IP address; give a domain such as "acme.com"'

function urlFault(given: string): string {
  const url = given.includes('//') ? given.replace(/^\/\//, 'http://') : `http://${given}`
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  if (host.startsWith('[') || isIP(given)) return ipAddressFault
  return `is a URL or has a port or path; give the domain alone, such as ${quote(host || 'acme.com')}`
}

function labelFault(labels: readonly string[]): string | undefined {
  if (labels.length < 2) return 'is a single label; give a domain with at least one dot, such as "acme.com"'
  for (const label of labels) {
    if (label.length > 63) return `has a label of ${label.length} characters; at most 63 are allowed`
    if (/^-|-$/.test(label)) return `has a hyphen at the edge of the label ${quote(label)}; remove it`
    if (!/^[a-z0-9-]+$/.test(label)) return `has the label ${quote(label)}; use letters, digits and hyphens`
  }
  return undefined
}
