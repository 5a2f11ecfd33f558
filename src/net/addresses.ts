import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The kind of an IP address:
 *
 * - `loopback`, `private`: this machine, and networks that are not reached from elsewhere;
 * - `public`: globally reachable;
 * - `special`: reserved for documentation, benchmarks, tunnels or the future;
 * - `uncallable`: link-local, the metadata services of clouds, multicast and unspecified addresses;
 * - `none`: no IP address.
 */
export type AddressKind = 'loopback' | 'private' | 'public' | 'special' | 'uncallable' | 'none'

/** An IP address, as {@link parseAddress} reads it. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6
/** A network: its first address, and how many bits of it are fixed. */
export type Range = readonly [start: Address, bits: number]

/**
 * Determines the kind of an IP address. An IPv4 address inside an IPv6 one (mapped, compatible, translated, NAT64,
 * 6to4) keeps its own kind.
 *
 * @param text  As a resolver returns it; an IPv6 zone is ignored.
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry, iana-ipv6-special-registry
 */
export function kindOfAddress(text: string): AddressKind {
  const address = parseAddress(text)
  if (address === null) return 'none'
  return ranges.find(([, range]) => isWithin(address, range))?.[0] ?? 'public'
}

/**
 * The canonical spelling of an IP address, in which addresses are compared, counted and shown: an IPv4 address inside an
 * IPv6 one (see {@link kindOfAddress}) as that IPv4 address, others as in RFC 5952, without a zone.
 *
 * @returns The text itself if it is not an address.
 */
export function plainAddress(text: string): string {
  // The usual cases.
  if (isIPv4(text) || text === '::1') return text
  return parseAddress(text)?.toString() ?? text
}

/** The network that a limit counts as one client: an IPv4 address, an IPv6 /64 of one customer, or all of loopback. */
export function networkOf(text: string): string {
  const plain = plainAddress(text)
  if (plain.startsWith('127.') || plain === '::1') return '127.0.0.1'
  const address = isIPv4(plain) ? null : parseAddress(plain)
  if (!(address instanceof ipaddr.IPv6)) return plain
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`
}

/**
 * Whether an IPv6 address is `::1`, or 127.0.0.0/8 as a socket of IPv6 reports it. Unlike {@link kindOfAddress}, this may
 * grant access, so an address that another machine may have, such as that of a tunnel, does not count.
 */
export function isLoopbackIpv6(text: string): boolean {
  return ipaddr.IPv6.isValid(text) && ipaddr.process(text).range() === 'loopback'
}

/** An IP address, read strictly: no octal, hexadecimal or short forms; null if it is not valid. */
export function parseAddress(text: string): Address | null {
  const [plain = ''] = text.split('%', 1)
  if (plain.length > maxLength) return null
  if (ipaddr.IPv4.isValidFourPartDecimal(plain)) return ipaddr.IPv4.parse(plain)
  // The parser accepts the dotted form only after `::` and `::ffff:`.
  const hex = plain.replace(/(?<=:)\d{1,3}(?:\.\d{1,3}){3}$/, toHex)
  return ipaddr.IPv6.isValid(hex) ? embeddedIpv4(ipaddr.IPv6.parse(hex)) : null
}

/** A range in CIDR form, `10.0.0.0/8`, or a single address; null if it is neither. */
export function parseRange(text: string): Range | null {
  const [, start = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const plain = ipaddr.IPv4.isValidFourPartDecimal(start) || ipaddr.IPv6.isValid(start)
  if (!plain || start.includes('%')) return null
  const address = ipaddr.parse(start)
  const longest = address.kind() === 'ipv4' ? 32 : 128
  const length = bits === undefined ? longest : Number(bits)
  if (length > longest) return null
  // A single IPv6 address that contains an IPv4 address means that IPv4 address.
  if (length === longest) {
    const single = parseAddress(start)
    return single && [single, single.kind() === 'ipv4' ? 32 : 128]
  }
  // So does a range of mapped addresses, since no address is read as a mapped one.
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && length >= 96
  return isMapped ? [address.toIPv4Address(), length - 96] : [address, length]
}

/** Whether an address is in a range. An address of the other family never is. */
export function isWithin(address: Address, [start, bits]: Range): boolean {
  return address.kind() === start.kind() && address.match(start, bits)
}

/** Why an address of the kind `uncallable` may not be called, as the end of a sentence. */
export const uncallableProblem = 'is a link-local, metadata, multicast or reserved address'

/** The longest form: `0000:0000:0000:0000:0000:ffff:255.255.255.255`. */
const maxLength = 45

function toHex(dotted: string): string {
  if (!ipaddr.IPv4.isValidFourPartDecimal(dotted)) return dotted
  const [a = 0, b = 0, c = 0, d = 0] = ipaddr.IPv4.parse(dotted).octets
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
}

function embeddedIpv4(address: ipaddr.IPv6): Address {
  const { parts } = address
  const embedding = embeddings.find(([, range]) => isWithin(address, range))
  if (!embedding) return address
  const [high = 0, low = 0] = parts.slice(embedding[0])
  // `::` and `::1` are no IPv4 addresses.
  if (parts.slice(0, 7).every((part) => part === 0) && low <= 1) return address
  return new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255])
}

function cidr(text: string): Range {
  const [start, bits] = ipaddr.parseCIDR(text)
  return [start, bits]
}

/** Where an IPv4 address begins in an IPv6 one, in parts of 16 bits. */
const embeddings: readonly (readonly [at: number, range: Range])[] = [
  [6, cidr('::ffff:0:0/96')],
  [6, cidr('::/96')],
  [6, cidr('::ffff:0:0:0/96')],
  [6, cidr('64:ff9b::/96')],
  [1, cidr('2002::/16')],
]

/** The first range with the address decides. Addresses in no range are public. */
const ranges: readonly (readonly [kind: AddressKind, range: Range])[] = (
  [
    ['loopback', '127.0.0.0/8', '::1/128'],
    // Alibaba Cloud, Azure, Scaleway, Oracle Cloud, AWS, Google Cloud
    ['uncallable', '100.100.100.200/32', '168.63.129.16/32'],
    ['uncallable', 'fd00:42::42/128', 'fd00:c1::/32', 'fd00:ec2::/32', 'fd20:ce::254/128'],
    ['uncallable', '0.0.0.0/8', '169.254.0.0/16', '192.0.0.0/24', '224.0.0.0/4', '255.255.255.255/32'],
    ['uncallable', '::/128', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
    ['private', '10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
    ['special', '192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
    ['special', '198.18.0.0/15', '192.88.99.0/24', '240.0.0.0/4'],
    // Globally reachable within 2001::/23: AMT and AS112.
    ['public', '2001:3::/32', '2001:4:112::/48'],
    ['special', '2001::/23', '64:ff9b:1::/48', '100::/64', '100:0:0:1::/64', '5f00::/16'],
  ] as const
).flatMap(([kind, ...texts]) => texts.map((text) => [kind, cidr(text)] as const))
