import { BlockList, isIP } from 'node:net'

/**
 * Why nothing that Localpost is told to fetch or to call may lead to an IP address; null where it may. Link-local
 * addresses, the metadata services of clouds, multicast and reserved ranges are never called; loopback, public and
 * private addresses are the caller's own matter.
 *
 * @see RFC 6890, the special-purpose address registries.
 */
export function forbiddenAddress(address: string): string | null {
  const plain = plainAddress(address)
  const family = familyOf(plain)
  if (family === null) return 'is not an IP address'
  return never.check(plain, family) ? 'is a link-local, metadata, multicast or reserved address' : null
}

/** Whether an IP address is of a private network; loopback is none. */
export function isPrivateAddress(address: string): boolean {
  const plain = plainAddress(address)
  const family = familyOf(plain)
  return family !== null && privateRanges.check(plain, family)
}

const never = listOf(
  ['0.0.0.0', 8, 'ipv4'],
  ['100.100.100.200', 32, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 128, 'ipv6'],
  ['fd00:ec2::', 32, 'ipv6'],
  ['fe80::', 9, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
)

const privateRanges = listOf(
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['fc00::', 7, 'ipv6'],
)

function listOf(
  ...subnets: (readonly [address: string, prefix: number, family: 'ipv4' | 'ipv6'])[]
): BlockList {
  const list = new BlockList()
  for (const [address, prefix, family] of subnets) list.addSubnet(address, prefix, family)
  return list
}

function familyOf(address: string): 'ipv4' | 'ipv6' | null {
  const version = isIP(address)
  return version === 0 ? null : version === 4 ? 'ipv4' : 'ipv6'
}

function plainAddress(address: string): string {
  return embeddedIpv4(address) ?? address.replace(/%.*$/, '')
}

// An IPv4 address can hide in an IPv6 one (mapped, compatible, NAT64, 6to4), and must meet the rules of its own kind.
function embeddedIpv4(address: string): string | null {
  if (isIP(address) !== 6) return null
  const groups = expand(address.replace(/%.*$/, ''))
  const [a, b, c] = [groups[0] ?? 0, groups[1] ?? 0, groups[2] ?? 0]
  const high = groups.slice(0, 5).every((group) => group === 0)
  const isMapped = high && groups[5] === 0xffff
  const isCompatible = high && groups[5] === 0 && ((groups[6] ?? 0) !== 0 || (groups[7] ?? 0) > 1)
  const isNat64 = a === 0x64 && b === 0xff9b
  if (isMapped || isCompatible || isNat64) return dotted(groups[6] ?? 0, groups[7] ?? 0)
  return a === 0x2002 ? dotted(b, c) : null
}

function expand(address: string): number[] {
  const withHex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a, b, c, d] = parts.slice(0, 4).map(Number) as [number, number, number, number]
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  })
  const [head = '', tail] = withHex.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const gap = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  return [...left, ...Array.from({ length: gap }, () => '0'), ...right].map((group) =>
    Number.parseInt(group, 16),
  )
}

function dotted(high: number, low: number): string {
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}
