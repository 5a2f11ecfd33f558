import { describe, expect, it } from 'vitest'
import {
  isWithin,
  kindOfAddress,
  networkOf,
  parseAddress,
  parseRange,
  plainAddress,
} from '../../src/net/addresses.ts'
import { spellingsOf } from './_spellings.ts'

/**
 * IANA's special-purpose address registries, row by row, and neighbouring ranges: `kind` for the whole range, by its
 * first and its last address.
 */
const registry: readonly (readonly [kind: string, first: string, last: string])[] = [
  ['uncallable', '0.0.0.0', '0.255.255.255'],
  ['private', '10.0.0.0', '10.255.255.255'],
  ['private', '100.64.0.0', '100.127.255.255'],
  ['loopback', '127.0.0.0', '127.255.255.255'],
  ['uncallable', '169.254.0.0', '169.254.255.255'],
  ['private', '172.16.0.0', '172.31.255.255'],
  ['uncallable', '192.0.0.0', '192.0.0.255'],
  ['special', '192.0.2.0', '192.0.2.255'],
  ['public', '192.31.196.0', '192.31.196.255'],
  ['public', '192.52.193.0', '192.52.193.255'],
  ['special', '192.88.99.0', '192.88.99.255'],
  ['private', '192.168.0.0', '192.168.255.255'],
  ['public', '192.175.48.0', '192.175.48.255'],
  ['special', '198.18.0.0', '198.19.255.255'],
  ['special', '198.51.100.0', '198.51.100.255'],
  ['special', '203.0.113.0', '203.0.113.255'],
  ['uncallable', '224.0.0.0', '239.255.255.255'],
  ['special', '240.0.0.0', '255.255.255.254'],
  ['uncallable', '255.255.255.255', '255.255.255.255'],
  ['uncallable', '::', '::'],
  ['loopback', '::1', '::1'],
  ['special', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['special', '100::', '100::ffff:ffff:ffff:ffff'],
  ['special', '100:0:0:1::', '100::1:ffff:ffff:ffff:ffff'],
  ['special', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['special', '2001:1::1', '2001:1::3'],
  ['special', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
  ['public', '2001:3::', '2001:3:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['public', '2001:4:112::', '2001:4:112:ffff:ffff:ffff:ffff:ffff'],
  ['special', '2001:10::', '2001:3f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['special', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['public', '2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'],
  ['special', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['special', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['private', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['uncallable', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['uncallable', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['uncallable', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
]

/** The addresses at which clouds serve information about the machine, including secrets. */
const metadata = [
  '169.254.169.254',
  '169.254.170.2',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fd00:42::42',
  'fd00:c1::a9fe:a9fe',
  'fe80::a9fe:a9fe%eth0',
]

const kinds = {
  loopback: '127.0.0.1',
  private: '10.1.2.3',
  special: '198.18.0.1',
  uncallable: '169.254.169.254',
  public: '8.8.8.8',
} as const

describe('an address', () => {
  it.each(registry)('is %s from %s to %s', (kind, first, last) => {
    expect([kindOfAddress(first), kindOfAddress(last)]).toEqual([kind, kind])
  })

  it.each(metadata)('%s of a metadata service is never allowed', (address) => {
    expect(kindOfAddress(address)).toBe('uncallable')
  })

  it.each(['8.8.8.8', '1.1.1.1', '198.17.255.255', '198.20.0.0', '168.63.129.15', '2606:4700::1111'])(
    '%s is public',
    (address) => {
      expect(kindOfAddress(address)).toBe('public')
    },
  )

  it('inside an IPv6 address has its own kind, in every form', () => {
    for (const [kind, address] of Object.entries(kinds)) {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
      for (const form of [
        `::ffff:${address}`,
        `::FFFF:${hex}`,
        `0:0:0:0:0:ffff:${hex}`,
        `::${address}`,
        `::ffff:0:${hex}`,
        `64:ff9b::${address}`,
        `64:ff9b::${hex}`,
        `2002:${hex}::1`,
        `2002:${hex}:ffff:ffff:ffff:ffff:ffff`,
      ])
        expect([form, kindOfAddress(form)]).toEqual([form, kind])
    }
  })

  it.each([
    'nonsense',
    '',
    '1',
    '127.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '1.2.3.4.5',
    '::g',
    '1.2.3.4/8',
    ' ::1',
  ])('%j is not an address', (text) => {
    expect(kindOfAddress(text)).toBe('none')
  })
})

it('a range has an address and a valid prefix length', () => {
  for (const text of ['10.0.0.0/8', '10.1.2.3', '0.0.0.0/0', 'fd00::/8', '::1', '::/0'])
    expect([text, parseRange(text)]).toEqual([text, expect.anything()])
  for (const text of ['10.0.0.0/33', '10.0.0/8', 'fd00::/129', '10.0.0.0/', '/8', 'a/8', 'fe80::1%eth0', ''])
    expect([text, parseRange(text)]).toEqual([text, null])
})

describe('the plain form of an address', () => {
  it.each(['198.51.100.1', '10.0.0.1', '127.0.0.1', '255.255.255.255'])(
    'is %s in every spelling',
    (address) => {
      const spellings = spellingsOf(address)
      expect(spellings.length).toBeGreaterThan(80)
      for (const spelling of spellings) {
        expect([spelling, plainAddress(spelling)]).toEqual([spelling, address])
        expect([spelling, networkOf(spelling)]).toEqual([spelling, networkOf(address)])
      }
    },
  )

  it.each([
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:0db8::0001%eth0', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::1', '::1'],
    ['::', '::'],
    ['an unknown address', 'an unknown address'],
    ['127.1', '127.1'],
    ['', ''],
    [`::1%${'x'.repeat(10_000)}`, '::1'],
    [`${'0'.repeat(46)}::1`, `${'0'.repeat(46)}::1`],
  ])('of %s is %s', (text, plain) => {
    expect(plainAddress(text)).toBe(plain)
  })
})

describe('the network that counts as one client', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['127.9.9.9', '127.0.0.1'],
    ['::1', '127.0.0.1'],
    ['::ffff:7f00:2', '127.0.0.1'],
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8::/64'],
    ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['::', '::/64'],
    ['an unknown address', 'an unknown address'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})

it('a range of mapped addresses is one of IPv4 addresses', () => {
  const isIn = (address: string, range: string): boolean => {
    const [one, other] = [parseAddress(address), parseRange(range)]
    return one !== null && other !== null && isWithin(one, other)
  }
  for (const range of [
    '10.1.0.0/16',
    '::ffff:10.1.0.0/112',
    '::FFFF:a01:0/112',
    '0:0:0:0:0:ffff:0a01:0000/112',
  ])
    for (const [address, isWanted] of [
      ['10.1.2.3', true],
      ['10.2.0.0', false],
    ] as const)
      for (const spelling of spellingsOf(address))
        expect([range, spelling, isIn(spelling, range)]).toEqual([range, spelling, isWanted])
  for (const spelling of spellingsOf('10.1.2.3'))
    if (!spelling.includes('%')) expect([spelling, isIn('10.1.2.3', spelling)]).toEqual([spelling, true])
  // NAT64 as a range is not the whole of IPv4.
  expect(isIn('10.1.2.3', '64:ff9b::/96')).toBe(false)
})
