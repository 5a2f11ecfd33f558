import { spf as oracle } from 'mailauth/lib/spf/index.js'
import { describe, expect, it } from 'vitest'
import { evaluateSpf, readSpf } from '../../src/checks/spf.ts'
import { createZone } from '../../src/domains/zone.ts'
import { parseZone } from '../../src/domains/zone-file.ts'

/** Small pseudo-random numbers, the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

const ips = ['192.0.2.1', '192.0.2.77', '198.51.100.9', '203.0.113.200', '2001:db8::1', '2001:db8:1::5']
const terms = [
  'ip4:192.0.2.1',
  'ip4:192.0.2.0/25',
  '-ip4:198.51.100.9',
  'ip6:2001:db8::1',
  'ip6:2001:db8:1::/48',
  'a',
  'a:www.acme.test',
  'a:www.acme.test/24',
  'mx',
  '?mx:other.test',
  'a:gone.acme.test',
  'a:nowhere.acme.test',
  'include:one.test',
  'include:two.test',
  '~include:many.test',
  'include:none.test',
  'include:double.test',
  'include:broken.test',
  'exists:%{i}.list.acme.test',
  'exists:%{ir}.list.acme.test',
  'exists:%{l}.users.acme.test',
  'redirect=one.test',
  'redirect=none.test',
  'exp=why.acme.test',
  'unknown=x',
  'nonsense',
]
const ends = ['-all', '~all', '?all', '+all', '']

const base = `
$ORIGIN acme.test.
@ IN A 198.51.100.9
@ 3600 IN MX 10 mx1
mx1 IN A 203.0.113.200
www A 192.0.2.200
www AAAA 2001:db8::1
192.0.2.1.list A 127.0.0.2
77.2.0.192.list A 127.0.0.2
ada.users A 127.0.0.2
one.test. TXT "v=spf1 ip4:192.0.2.64/26 -all"
two.test. TXT "v=spf1 a:www.acme.test" " include:one.test ~all"
many.test. TXT ("v=spf1 include:two.test a:www.acme.test" ; goes on
  " mx:other.test a:mx1.acme.test ?all")
none.test. TXT "something else"
double.test. TXT "v=spf1 -all"
double.test. TXT "v=spf1 ~all"
broken.test. TXT "v=spf1 ip5:1.2.3.4 -all"
other.test. MX 5 mx1.acme.test.
`

describe('SPF', () => {
  it('has the result of mailauth in 200 generated cases', async () => {
    const random = numbers(7)
    const seen = new Map<string, number>()
    for (let at = 0; at < 200; at++) {
      const chosen = Array.from({ length: 1 + random(4) }, () => terms[random(terms.length)])
      const record = ['v=spf1', ...chosen, ends[random(ends.length)]].join(' ').trim()
      const zone = createZone(parseZone(`${base}acme.test. TXT "${record}"`))
      const sender = { ip: ips[random(ips.length)] ?? '', sender: 'ada@acme.test', helo: 'mx.acme.test' }
      const { result } = evaluateSpf('acme.test', sender, zone)
      const { status } = await oracle({ ...sender, mta: 'mta.test', resolver: resolverOf(zone) })
      expect(`${record} for ${sender.ip}: ${result}`).toBe(`${record} for ${sender.ip}: ${status.result}`)
      seen.set(result, (seen.get(result) ?? 0) + 1)
    }
    expect([...seen.keys()].toSorted()).toEqual(['fail', 'neutral', 'pass', 'permerror', 'softfail'])
  })

  // mailauth reads these only where it gets to them.
  it.each([
    'a/33',
    'ip4:192.0.2.300',
    'ip4:192.0.2.0/40',
    'a:',
    'ALL:x',
    'redirect=a.test redirect=b.test',
    '%{x}',
  ])('refuses a record with %j behind what matches (RFC 7208, section 4.6)', (term) => {
    const zone = createZone(parseZone(`acme.test. TXT "v=spf1 ip4:192.0.2.1 ${term}"`))
    const sender = { ip: '192.0.2.1', sender: 'ada@acme.test', helo: 'x.test' }
    expect(evaluateSpf('acme.test', sender, zone).result).toBe('permerror')
  })

  it('counts the look-ups of all that a record includes, and knows what it cannot know', () => {
    const zone = createZone(
      parseZone(`$ORIGIN acme.test.
@ TXT "v=spf1 include:a.acme.test include:a.acme.test include:mailer.example mx -all"
a TXT "v=spf1 a mx ?all"
a A 192.0.2.9`),
    )
    expect(readSpf('acme.test', zone)).toEqual({ lookups: 8, faults: [], unknown: ['mailer.example'] })
    const sender = { ip: '192.0.2.1', sender: 'ada@acme.test', helo: 'x.test' }
    expect(evaluateSpf('acme.test', sender, zone)).toMatchObject({ result: 'unknown' })
  })

  it('ends where records include each other', () => {
    const zone = createZone(parseZone('a.test. TXT "v=spf1 include:a.test include:a.test -all"'))
    expect(readSpf('a.test', zone).lookups).toBeGreaterThan(10)
    const sender = { ip: '192.0.2.1', sender: 'ada@a.test', helo: 'x.test' }
    expect(evaluateSpf('a.test', sender, zone)).toEqual({
      result: 'permerror',
      reason: 'it needs more than 10 DNS look-ups',
    })
  })
})

describe('a zone file', () => {
  it('may leave out names, classes and times to live, and continue in the next line', () => {
    const { records, complete } = parseZone(`$TTL 1h
$ORIGIN Acme.Test.
@ IN SOA ns1 admin ( 1 2 ; serial
  3 4 5 )
  TXT "v=spf1 ;-all" ; a comment
_dmarc 300 IN TXT "v=DMARC1; " "p=reject"
www IN 60 CNAME @
`)
    expect(records).toEqual([
      { name: 'acme.test', type: 'TXT', value: 'v=spf1 ;-all' },
      { name: '_dmarc.acme.test', type: 'TXT', value: 'v=DMARC1; p=reject' },
      { name: 'www.acme.test', type: 'CNAME', value: 'acme.test' },
    ])
    expect(complete).toEqual(['acme.test'])
    const zone = createZone({ records, complete })
    expect(zone.find('WWW.acme.test.', 'TXT')).toEqual(['v=spf1 ;-all'])
    expect(zone.find('gone.acme.test', 'TXT')).toEqual([])
    expect(zone.find('other.test', 'TXT')).toBeNull()
  })

  it('may have octets in decimal in its strings (RFC 1035 section 5.1)', () => {
    const { records } = parseZone(String.raw`acme.test. TXT "a\059b\\034\"" "\195\188\0651"`)
    expect(records[0]?.value).toBe(String.raw`a;b\034"üA1`)
  })

  it.each([
    ['www A 192.0.2.1', 'Line 1 of the zone file: the name is relative, and there is no $ORIGIN.'],
    ['\nacme.test. "v=spf1"', 'Line 2 of the zone file: there is no record type in "acme.test. v=spf1".'],
    ['acme.test. TXT "a\\"b', `Line 1 of the zone file: ${JSON.stringify('"a\\"b')} has no closing quote.`],
    [
      String.raw`acme.test. TXT "a\300b"`,
      String.raw`Line 1 of the zone file: \300 is not an octet; it takes \000 to \255.`,
    ],
    ['acme.test. TXT "a\\', `Line 1 of the zone file: ${JSON.stringify('"a\\')} has no closing quote.`],
  ])('%j is refused', (text, message) => {
    expect(() => parseZone(text)).toThrow(expect.objectContaining({ code: 'invalid_option', message }))
  })
})

/** A resolver as mailauth calls it. */
function resolverOf(zone: ReturnType<typeof createZone>) {
  return async (name: string, type: 'A' | 'AAAA' | 'MX' | 'TXT'): Promise<unknown[]> => {
    const found = zone.find(name, type) ?? []
    if (found.length === 0) throw Object.assign(new Error('no record'), { code: 'ENOTFOUND' })
    if (type === 'TXT') return found.map((text) => [text])
    return type === 'MX' ? found.map((exchange, priority) => ({ exchange, priority })) : found
  }
}
