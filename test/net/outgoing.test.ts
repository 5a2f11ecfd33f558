import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'
import { parseAllowed } from '../../src/net/allowed.ts'
import { createOutgoing } from '../../src/net/outgoing.ts'

const to = (address: string, port = 3000, host = address) => ({
  host,
  address,
  port,
})
const loopback = ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']
const privates = ['10.1.2.3', '172.16.0.1', '192.168.1.1', '100.64.0.1', 'fd12::1', '::ffff:10.1.2.3']
const special = ['198.18.0.1', '203.0.113.7', '2001:db8::1']
const never = ['169.254.169.254', '168.63.129.16', '224.0.0.1', '0.0.0.0', 'fe80::1']

describe('an instance on loopback', () => {
  const outgoing = createOutgoing([])
  outgoing.opened({ host: '127.0.0.1', port: 8025 })
  outgoing.opened({ host: 'localhost', port: 1025 })

  it('reaches this machine and its networks; attachments reach private networks by option only', () => {
    for (const address of [...loopback, ...privates, '8.8.8.8'])
      expect([address, outgoing.problemOf(to(address))]).toEqual([address, null])
    for (const address of privates) expect(outgoing.strictProblemOf(to(address))).toMatch(/allowPrivate/)
    for (const address of loopback) expect(outgoing.strictProblemOf(to(address))).toBeNull()
  })

  it('reaches no special range without permission, and no metadata service at all', () => {
    const wide = createOutgoing(['0.0.0.0/0', '::/0', 'metadata.internal'])
    for (const address of special) {
      expect(outgoing.problemOf(to(address))).toMatch(/allow it with `allowOutgoing`/)
      expect(wide.problemOf(to(address))).toBeNull()
    }
    for (const address of never) {
      for (const one of [outgoing, wide])
        for (const check of [one.problemOf, one.strictProblemOf, one.relayProblemOf])
          expect(check(to(address, 80, 'metadata.internal'))).toMatch(/link-local, metadata/)
    }
  })

  it('never reaches its own ports, by any address, except by its relay', () => {
    for (const [address, port] of [
      ['127.0.0.1', 8025],
      ['::ffff:127.0.0.1', 8025],
      ['127.0.0.1', 1025],
      ['::1', 1025],
    ] as const) {
      expect(outgoing.problemOf(to(address, port))).toBe(`is this Localpost itself at port ${port}`)
      expect(outgoing.relayProblemOf(to(address, port))).toBeNull()
    }
    // Another program may have the port at another address.
    expect(outgoing.problemOf(to('127.0.0.2', 8025))).toBeNull()
    expect(outgoing.problemOf(to('8.8.8.8', 8025))).toBeNull()
  })
})

describe('an instance that is reachable from other machines', () => {
  const opened = (allow: string[]) => {
    const outgoing = createOutgoing(allow)
    outgoing.opened({ host: '127.0.0.1', port: 1025 })
    outgoing.opened({ host: '0.0.0.0', port: 8025 })
    return outgoing
  }

  it('reaches loopback and private networks by permission only', () => {
    const outgoing = opened([])
    for (const check of [outgoing.problemOf, outgoing.strictProblemOf, outgoing.relayProblemOf]) {
      for (const address of [...loopback, ...privates])
        expect(check(to(address))).toMatch(
          /other machines reach this Localpost; allow it with `allowOutgoing`/,
        )
      expect(check(to('8.8.8.8'))).toBeNull()
    }
  })

  it.each([
    ['10.0.0.0/8', to('10.1.2.3'), to('11.1.2.3', 3000, 'x'), true],
    ['10.0.0.0/8', to('::ffff:10.1.2.3'), to('192.168.1.1'), false],
    ['10.1.2.3:25', to('10.1.2.3', 25), to('10.1.2.3', 26), false],
    ['::1', to('::1'), to('127.0.0.1'), false],
    ['[fd00::1]:25', to('fd00::1', 25), to('fd00::1', 26), false],
    ['fd00::/8', to('fd12::1'), to('fc00::1'), false],
    ['Hooks.internal:9000', to('10.0.0.5', 9000, 'hooks.INTERNAL.'), to('10.0.0.5', 9000), false],
    ['hooks.internal', to('10.0.0.5', 1, 'hooks.internal'), to('10.0.0.5', 1, 'x.hooks.internal'), false],
    ['localhost:3000', to('127.0.0.1', 3000, 'localhost'), to('127.0.0.1', 3001, 'localhost'), false],
  ])('%s allows what it names and nothing else', (entry, named, other, isOtherPublic) => {
    const outgoing = opened([entry])
    expect(outgoing.problemOf(named)).toBeNull()
    expect(outgoing.strictProblemOf(named)).toBeNull()
    expect(outgoing.problemOf(other) === null).toBe(isOtherPublic)
  })
})

describe('which addresses are the instance itself', () => {
  const addresses = {
    loopback4: [
      '127.0.0.1',
      '127.9.9.9',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::',
    ],
    loopback6: ['::1', '0:0:0:0:0:0:0:1'],
    unspecified: ['0.0.0.0', '::', '::ffff:0.0.0.0'],
  }
  const everything = Object.values(addresses).flat()
  const own = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ address }) => !address.startsWith('fe80'))
  const own4 = own.flatMap(({ family, address }) => (family === 'IPv4' ? [address, `::ffff:${address}`] : []))
  const own6 = own.flatMap(({ family, address }) => (family === 'IPv6' ? [address] : []))
  const one4 = addresses.loopback4.filter((address) => address !== '127.9.9.9')

  // Bound as given, so that another program can have the same port at what is not listed.
  it.each([
    ['0.0.0.0', [...addresses.loopback4, ...own4]],
    ['::', [...addresses.loopback4, ...addresses.loopback6, ...own4, ...own6]],
    ['', [...addresses.loopback4, ...addresses.loopback6, ...own4, ...own6]],
    ['127.0.0.1', one4],
    ['::ffff:127.0.0.1', one4],
    ['127.9.9.9', ['127.9.9.9']],
    ['::1', addresses.loopback6],
    ['localhost', [...addresses.loopback4, ...addresses.loopback6]],
    ['box.internal', [...addresses.loopback4, ...addresses.loopback6, ...own4, ...own6]],
  ])('bound to %j: what the port answers at, and nothing else', (host, expected) => {
    const outgoing = createOutgoing(['0.0.0.0/0', '::/0'])
    outgoing.opened({ host, port: 8025 })
    const isItself = (address: string): boolean =>
      outgoing.problemOf(to(address, 8025)) === 'is this Localpost itself at port 8025'
    const all = [...new Set([...everything, ...own4, ...own6])].filter(
      (address) => !addresses.unspecified.includes(address),
    )
    expect(all.filter(isItself).toSorted()).toEqual([...new Set(expected)].toSorted())
    expect(all.filter((address) => outgoing.problemOf(to(address, 8026)) !== null)).toEqual([])
    // These lead to this machine, whatever is bound: never, at any port.
    for (const address of addresses.unspecified)
      for (const port of [8025, 8026])
        for (const check of [outgoing.problemOf, outgoing.strictProblemOf, outgoing.relayProblemOf])
          expect(check(to(address, port)), address).toMatch(/reserved address/)
  })
})

describe('an OpenID provider', () => {
  const issuer = { host: 'login.internal', port: 443 }

  it.each(['127.0.0.1', '0.0.0.0'])(
    'is reached in any network, and it alone, by an instance at %s',
    (host) => {
      const outgoing = createOutgoing(['10.9.0.0/16'])
      outgoing.opened({ host, port: 8025 })
      const check = outgoing.providerProblemOf(issuer)
      const inside = [...loopback, ...privates]
      for (const address of [...inside, '8.8.8.8', '10.9.1.1'])
        expect([address, check(to(address, 443, issuer.host))]).toEqual([address, null])
      for (const address of inside) {
        for (const other of [to(address, 444, issuer.host), to(address, 443), to(address, 443, 'x.test')])
          expect(check(other)).toMatch(/not the host of the issuer; allow it with `allowOutgoing`$/)
      }
      for (const address of ['8.8.8.8', '10.9.1.1']) expect(check(to(address, 444, 'keys.test'))).toBeNull()
      for (const address of never)
        expect(check(to(address, 443, issuer.host))).toMatch(/link-local, metadata/)
      for (const address of special)
        expect(check(to(address, 443, issuer.host))).toMatch(/allow it with `allowOutgoing`/)
      const own = outgoing.providerProblemOf({ host: 'login.internal', port: 8025 })
      expect(own(to('127.0.0.1', 8025, 'login.internal'))).toBe('is this Localpost itself at port 8025')
    },
  )
})

it('an entry of allowOutgoing is a range, an address or a host, with or without a port', () => {
  for (const entry of ['10.0.0.0/8', '10.1.2.3', '10.1.2.3:1', '[::1]:65535', '::1', 'mail', 'a.b-c.test:25'])
    expect([entry, parseAllowed(entry)]).toEqual([entry, expect.anything()])
  for (const entry of [
    '',
    '10.0.0',
    '10.0.0.0/99',
    'a:b',
    'a:0',
    'a:65536',
    'http://a',
    'a b',
    '[a]:1',
    '*',
    '-a',
  ])
    expect([entry, parseAllowed(entry)]).toEqual([entry, null])
})
