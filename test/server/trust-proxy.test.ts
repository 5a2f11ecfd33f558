import type { H3Event } from 'h3'
import { describe, expect, test } from 'vitest'
import { createClientAddresses } from '../../src/server/forwarded.ts'
import { newContext } from '../../src/server/request-state.ts'
import { entriesOf, spellingsOf } from '../net/_spellings.ts'
import { ask, portOf } from './_ask.ts'
import { openOverSocket } from './_face.ts'

function from(peer: string, forwarded?: string): H3Event {
  const headers = new Headers(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded })
  const socket = { remoteAddress: peer }
  return { req: { headers }, context: newContext({ req: { socket } } as never) } as unknown as H3Event
}

describe('the address of a client behind a proxy', () => {
  const trusted = createClientAddresses(['10.0.0.0/8', '::1'])

  test.each([
    ['no proxy is trusted', createClientAddresses([]), '10.0.0.1', '203.0.113.9', '10.0.0.1'],
    ['the peer is not trusted', trusted, '192.0.2.1', '203.0.113.9', '192.0.2.1'],
    ['the peer is trusted', trusted, '10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['the peer is an IPv4 address within IPv6', trusted, '::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['the client adds an entry of its own', trusted, '10.0.0.1', '127.0.0.1, 203.0.113.9', '203.0.113.9'],
    ['two proxies are trusted', trusted, '::1', '1.1.1.1, 203.0.113.9, 10.0.0.2', '203.0.113.9'],
    ['the last entry is not an address', trusted, '10.0.0.1', '203.0.113.9, unknown', '10.0.0.1'],
    ['the header is empty', trusted, '10.0.0.1', '', '10.0.0.1'],
    ['there is no header', trusted, '10.0.0.1', undefined, '10.0.0.1'],
    ['all entries are trusted', trusted, '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ])('where %s', (_, addresses, peer, forwarded, expected) => {
    expect(addresses.ipOf(from(peer, forwarded))).toBe(expected)
  })
})

describe('the spelling of an address', () => {
  test('of a client makes no difference, nor do ports and brackets', () => {
    const addresses = createClientAddresses(['10.0.0.0/8'])
    for (const entry of entriesOf('203.0.113.9'))
      expect([entry, addresses.ipOf(from('::ffff:10.0.0.1', entry))]).toEqual([entry, '203.0.113.9'])
    for (const entry of ['2001:DB8:0::1', '[2001:db8::1]:443', '2001:db8::1%eth0', '[2001:0db8::0001%1]'])
      expect([entry, addresses.ipOf(from('10.0.0.1', entry))]).toEqual([entry, '2001:db8::1'])
  })

  test.each([
    '',
    'unknown',
    '_hidden',
    '203.0.113.9:',
    '203.0.113.9:x',
    '[203.0.113.9',
    '203.0.113.9]',
    '[]:1',
  ])('of an entry that is none, %j, leaves the address of the proxy', (entry) => {
    expect(createClientAddresses(['10.0.0.0/8']).ipOf(from('10.0.0.1', entry))).toBe('10.0.0.1')
  })

  test('of a proxy makes no difference, in its option and at its connection', () => {
    const options = ['10.0.0.1', '10.0.0.0/8', '::ffff:10.0.0.1', '::FFFF:a00:1', '::ffff:10.0.0.0/104']
    for (const option of options) {
      const addresses = createClientAddresses([option])
      for (const peer of spellingsOf('10.0.0.1')) {
        const event = from(peer, '203.0.113.9')
        expect([option, peer, addresses.ipOf(event), addresses.isFromTrusted(event)]).toEqual([
          option,
          peer,
          '203.0.113.9',
          true,
        ])
      }
      for (const peer of spellingsOf('11.0.0.1'))
        expect([option, peer, addresses.isFromTrusted(from(peer))]).toEqual([option, peer, false])
    }
  })
})

describe('a listener with trustProxy', () => {
  const json = { 'content-type': 'application/json' }
  const key = JSON.stringify({ key: 'a-key' })

  test('believes X-Forwarded-Proto only of that proxy; what it passes on is not local', async () => {
    for (const [trustProxy, isSecure] of [
      [['127.0.0.0/8'], true],
      [['10.0.0.0/8'], false],
      [[], true],
    ] as const) {
      const face = await openOverSocket({ apiKeys: ['a-key'], trustProxy: [...trustProxy] })
      const passedOn = { ...json, 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' }
      const opened = await ask(portOf(face), '/dev/session', passedOn, 'POST', key)
      expect([trustProxy, opened.headers['set-cookie']?.[0]?.includes('Secure')]).toEqual([
        trustProxy,
        isSecure,
      ])
      expect((await ask(portOf(face), '/dev/inbox', passedOn)).status).toBe(401)
    }
  })

  test('counts wrong keys per client of the proxy', async () => {
    const face = await openOverSocket({ trustProxy: ['127.0.0.1'], requireKey: true })
    const tryKey = async (client: string): Promise<number> =>
      (await ask(portOf(face), '/dev/health', { authorization: 'Bearer wrong', 'x-forwarded-for': client }))
        .status
    for (let i = 0; i < 100; i++) expect(await tryKey('203.0.113.1')).toBe(401)
    expect([await tryKey('203.0.113.1'), await tryKey('203.0.113.2')]).toEqual([429, 401])
  })

  test('counts the clients of a proxy that maps their IPv4 addresses one by one', async () => {
    const face = await openOverSocket({ trustProxy: ['127.0.0.1'], requireKey: true })
    const tryKey = async (client: string): Promise<number> =>
      (await ask(portOf(face), '/dev/health', { authorization: 'Bearer wrong', 'x-forwarded-for': client }))
        .status
    const spellings = entriesOf('198.51.100.1').filter((entry) => !/[ \t]/.test(entry))
    for (let i = 0; i < 100; i++) expect(await tryKey(spellings[i % spellings.length] ?? '')).toBe(401)
    expect([await tryKey('::ffff:198.51.100.1'), await tryKey('::ffff:198.51.100.2')]).toEqual([429, 401])
  })
})
