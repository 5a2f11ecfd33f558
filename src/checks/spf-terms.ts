import { parseAddress, parseRange, type Address, type Range } from '../net/addresses.ts'

/** The sender that SPF decides about, and that its macros name. */
export interface SpfSender {
  ip: string
  /** The envelope sender. */
  sender: string
  /** The name that the client gave in EHLO. */
  helo: string
}

const names = ['all', 'include', 'a', 'mx', 'ptr', 'ip4', 'ip6', 'exists'] as const
const qualifiers = ['+', '-', '~', '?'] as const

/** A mechanism of an SPF record. */
export interface Mechanism {
  qualifier: (typeof qualifiers)[number]
  name: (typeof names)[number]
  /** With macros; `""` without one. */
  value: string
  /** Prefix lengths of IPv4 and IPv6. */
  bits: readonly [v4: number, v6: number]
}

/** An SPF record. */
export interface SpfTerms {
  mechanisms: Mechanism[]
  /** The domain whose record counts if no mechanism matches; null without one. */
  redirect: string | null
}

/** @returns What is wrong with the record, as the end of a sentence, if it is not valid. @see RFC 7208 section 4.6 */
export function parseSpf(record: string): SpfTerms | string {
  const mechanisms: Mechanism[] = []
  let redirect: string | null = null
  for (const term of record.trim().split(/ +/).slice(1)) {
    const [, modifier, target = ''] = /^([a-z][\w.-]*)=(.*)$/i.exec(term) ?? []
    if (modifier !== undefined) {
      if (target === '') return `${JSON.stringify(term)} has no value`
      if (modifier.toLowerCase() !== 'redirect') continue
      if (redirect !== null) return 'it has two redirects'
      redirect = target
      continue
    }
    const mechanism = parseMechanism(term)
    if (typeof mechanism === 'string') return mechanism
    mechanisms.push(mechanism)
  }
  return { mechanisms, redirect }
}

/** @returns The mechanism, or its first fault: of its form, then of its prefix, then of its value. */
function parseMechanism(term: string): Mechanism | string {
  const shown = JSON.stringify(term.slice(0, 100))
  const [, sign = '', written = '', colon, rest = ''] = /^([+?~-]?)([a-z0-9]+)(:?)(.*)/is.exec(term) ?? []
  const name = names.find((known) => known === written.toLowerCase())
  if (name === undefined) return `${shown} is not a term of SPF`
  const qualifier = qualifiers.find((known) => known === sign) ?? '+'
  const isIp = name === 'ip4' || name === 'ip6'
  // The prefix of `ip4` and `ip6` is a part of their value.
  const [, value = rest, v4 = '', v6 = ''] = isIp ? [] : (valueForm.exec(rest) ?? [])
  const bits = [v4 === '' ? 32 : Number(v4), v6 === '' ? 128 : Number(v6)] as const
  if (colon === ':' && value === '') return `${shown} has no value`
  if (colon === '' && value !== '') return `${shown} is not a term of SPF`
  if (bits[0] > 32 || bits[1] > 128) return `the prefix of ${shown} is too long`
  if (/^(?:all|ptr)$/.test(name) && (v4 !== '' || v6 !== '')) return `${shown} takes no prefix`
  if (name === 'all' && value !== '') return `${shown} takes no value`
  if (/^(?:include|exists)$/.test(name) && value === '') return `${shown} has no value`
  if (isIp && !ipRange(name, value)) return `${shown} is not an IP address or range`
  return { qualifier, name, value, bits }
}

const valueForm = /^(.*?)(?:\/(\d+))?(?:\/\/(\d+))?$/

/** The range of `ip4` or `ip6`; null if the value is not valid, or of the other family. */
export function ipRange(name: 'ip4' | 'ip6', value: string): Range | null {
  const range = parseRange(value)
  const isV6 = value.includes(':')
  return range && isV6 === (name === 'ip6') ? range : null
}

/** Expands the macros of a domain. Null for a fault. @see RFC 7208 section 7 */
export function expandMacros(text: string, domain: string, { ip, sender, helo }: SpfSender): string | null {
  const at = sender.lastIndexOf('@')
  const values: Readonly<Record<string, string>> = {
    s: sender,
    l: sender.slice(0, at),
    o: sender.slice(at + 1),
    d: domain,
    p: 'unknown',
    i: dotted(parseAddress(ip)),
    v: ip.includes(':') ? 'ip6' : 'in-addr',
    h: helo,
  }
  let isValid = true
  const expanded = text.replace(
    /%(?:([%_-])|\{([a-z])(\d*)(r?)([.\-+,/_=]*)\}|)/gi,
    (...groups: string[]) => {
      const [, plain, letter, digits = '', reverse = '', delimiters] = groups
      if (plain !== undefined) return plainMacros[plain] ?? ''
      const value = values[letter?.toLowerCase() ?? '']
      if (value === undefined) isValid = false
      const parts = (value ?? '').split(
        delimiters ? new RegExp(`[${delimiters.replace(/[-.+/]/g, '\\$&')}]`) : '.',
      )
      if (reverse !== '') parts.reverse()
      return (Number(digits) > 0 ? parts.slice(-Number(digits)) : parts).join('.')
    },
  )
  return isValid ? expanded.replace(/\.$/, '') : null
}

/** The macros without a letter. */
const plainMacros: Readonly<Record<string, string>> = { '%': '%', _: ' ', '-': '%20' }

function dotted(address: Address | null): string {
  if (!address || address.kind() === 'ipv4') return String(address)
  return address
    .toByteArray()
    .flatMap((byte) => [byte >> 4, byte & 15])
    .map((nibble) => nibble.toString(16))
    .join('.')
}
