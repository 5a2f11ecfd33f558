import { domainToASCII } from 'node:url'
import addressparser from 'nodemailer/lib/addressparser'
import { foldSpace, quotedString } from '../../core/text.ts'
import { endOfAddresses, maxAddresses } from './long-address-lists.ts'

/** One mailbox of an address list: display name (`""` without one) and bare address. */
export interface ParsedAddress {
  name: string
  address: string
}

/**
 * Reads an RFC 5322 address list: comma list, display names, comments, quoted local parts; groups are flattened.
 *
 * @param text  The value of an address header, or a field of a send request. Encoded words stay as written.
 * @returns The mailboxes in order, as written. An entry without an address (`Ada`) has `address: ""`, so that a
 *   caller who validates can name it; an empty group has no entry.
 * @see RFC 5322 section 3.4
 */
export function parseAddresses(text: string): ParsedAddress[] {
  const simple = simpleAddress.exec(text)
  if (simple) {
    // Outside quotes a run of spaces is one (RFC 5322 section 3.2.2).
    const name = simple[1]?.replace(/ {2,}/g, ' ') ?? simple[2] ?? ''
    return [{ name: name.trim(), address: simple[3] ?? simple[4] ?? '' }]
  }
  return addressparser(text, { flatten: true }).map(({ name, address }) => ({ name, address }))
}

// `a@b.c` or `Some Name <a@b.c>` or `"Some Name" <a@b.c>`, as nearly all are. The full grammar takes ten times as long: the
// place `header addresses` in bench/places.mjs.
const simpleAddress =
  /^(?:(?:([A-Za-z0-9 _'!#$%&*+/=?^`{|}~-]*)|"([^"\\<>@]*)" *)<([\w.+-]+@[A-Za-z0-9.-]+)>|([\w.+-]+@[A-Za-z0-9.-]+))$/

/**
 * Checks one bare address and gives its domain as A-labels; an ASCII domain stays as written.
 *
 * @param address  Without display name and angle brackets. A local part beyond ASCII is fine (SMTPUTF8), as are a
 *   single-label domain (`root@localhost`) and an address literal (`ada@[127.0.0.1]`).
 * @returns The address, or what is wrong with it as the end of a sentence: `has no "@"`.
 * @see RFC 5321 section 4.5.3.1 for the lengths, RFC 6531 for the local part
 */
export function normalizeAddress(address: string): { address: string } | { problem: string } {
  if (address === '') return { problem: 'is empty' }
  if (/[\x00-\x1f\x7f-\x9f\u2028\u2029]/.test(address)) return { problem: 'has a control character' }
  if (/\p{Surrogate}/u.test(address)) return { problem: 'has half of a surrogate pair' }
  const at = endOfLocalPart(address)
  if (at === -1) return { problem: 'has no "@"' }
  const local = address.slice(0, at)
  const domain = address.slice(at + 1)
  if (local === '') return { problem: 'has nothing before the "@"' }
  if (domain === '') return { problem: 'has nothing after the "@"' }
  if (domain.includes('@')) return { problem: 'has more than one "@"' }
  if (!local.startsWith('"')) {
    if (/\s/.test(local)) return { problem: 'has a space' }
    if (/[()<>[\]:;,"\\]/.test(local)) return { problem: 'has a character before the "@" that needs quotes' }
  }
  if (Buffer.byteLength(local) > 64) return { problem: 'has more than 64 octets before the "@"' }
  const ascii = asciiDomain(domain)
  return 'problem' in ascii ? ascii : { address: `${local}@${ascii.domain}` }
}

/** A mailbox as a header field has it. @param name  Of any text; `""` for none. @see RFC 5322 section 3.4 */
export function toMailbox(name: string, address: string): string {
  return name === '' ? address : `${quotedString(name)} <${address}>`
}

/** The display names of a list of addresses in their order, `""` where one has none; undefined if none of them has one. */
export function displayNames(addresses: readonly ParsedAddress[]): string[] | undefined {
  if (!addresses.some(({ name }) => name !== '')) return undefined
  return addresses.map(({ name }) => foldSpace(name.slice(0, maxNameLength)))
}

const maxNameLength = 200

/**
 * A key that all spellings of one mailbox share: for comparing addresses, not for showing them. It ignores case, and
 * has the domain in A-labels.
 *
 * @param address  Bare. Text that is not an address also has a key.
 */
export function addressKey(address: string): string {
  if (!/[^\x00-\x7f]/.test(address)) return address.toLowerCase()
  const at = address.lastIndexOf('@') + 1
  const local = address.slice(0, at).normalize('NFC').toLowerCase()
  const domain = address.slice(at)
  if (!/[^\x00-\x7f]/.test(domain)) return local + domain.toLowerCase()
  // Only for text that can only be a name, because the URL rules would read `1.2` as an IP address, and decode `%41`.
  const ascii = /^[\p{L}\p{M}\p{N}.\-\u3002\uff0e\uff61]+$/u.test(domain) ? domainToASCII(domain) : ''
  return local + (ascii || domain.toLowerCase())
}

/**
 * Whether a value names a mailbox, by {@link addressKey}.
 *
 * @param value  A bare address, or one with a display name and angle brackets.
 * @param wanted  A bare address.
 */
export function isMailbox(value: string, wanted: string): boolean {
  const address = value.endsWith('>') ? value.slice(value.lastIndexOf('<') + 1, -1) : value
  return addressKey(address) === addressKey(wanted)
}

/** The position of the `@` after the local part; -1 without one. An `@` in a quoted local part does not count. */
function endOfLocalPart(address: string): number {
  if (!address.startsWith('"')) return address.indexOf('@')
  for (let i = 1; i < address.length; i++) {
    if (address[i] === '\\') i++
    else if (address[i] === '"') return address[i + 1] === '@' ? i + 1 : -1
  }
  return -1
}

function asciiDomain(domain: string): { domain: string } | { problem: string } {
  if (/\s/.test(domain)) return { problem: 'has a space' }
  if (/^\[[\x21-\x5a\x5e-\x7e]{1,253}\]$/.test(domain)) return { domain }
  const isAscii = /^[\x21-\x7e]*$/.test(domain)
  // The URL rules behind domainToASCII would turn `1.2` into an IPv4 address and decode `%41`.
  const ascii = isAscii ? domain : /[%/?#\\:[\]]/.test(domain) ? '' : domainToASCII(domain)
  if (ascii === '') return { problem: 'has a domain that is no internationalised domain name' }
  if (ascii.length > 255) return { problem: 'has a domain longer than 255 octets' }
  for (const label of ascii.split('.')) {
    if (label === '') return { problem: 'has an empty label in its domain' }
    if (label.length > 63) return { problem: 'has a domain label longer than 63 characters' }
    if (!/^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/i.test(label))
      return { problem: `has a domain label that is no host name: ${JSON.stringify(label)}` }
  }
  return { domain: ascii }
}

/**
 * Splits an address list after the addresses that are read with their names, because the full grammar would take long
 * for a hostile list.
 *
 * @returns `rest` is `""` for all but very long lists.
 */
export function splitAddressList(list: string): { read: string; rest: string } {
  // Shorter than `a@b,` for each address.
  if (list.length < 4 * maxAddresses) return { read: list, rest: '' }
  const end = endOfAddresses(list)
  return { read: list.slice(0, end), rest: list.slice(end) }
}
