import dmarc from 'mailauth/lib/dmarc/index.js'
import { describe, expect, it } from 'vitest'
import { isAligned } from '../../src/checks/dmarc.ts'

const suffixes = ['test', 'com', 'co.uk', 'github.io', 'uk.com', 'com.au', 'de', 'xn--p1ai']
const names = ['acme', 'mail.acme', 'a.b.acme', 'other', 'mail.other', 'acme-mail']

/** 200 pairs of domains, each pair of names under suffixes that are the same or not. */
const pairs = Array.from({ length: 200 }, (_, at): [string, string] => {
  const [one, other] = [names[at % names.length], names[Math.floor(at / names.length) % names.length]]
  const first = suffixes[at % suffixes.length]
  const second = at % 3 === 0 ? suffixes[(at + 1) % suffixes.length] : first
  return [`${one}.${first}`, `${other}.${second}`]
})

describe('the alignment of DMARC', () => {
  it('is that of mailauth for 200 generated pairs, by DKIM and by SPF', async () => {
    const resolver = async (): Promise<string[][]> => [['v=DMARC1; p=reject']]
    const results = new Set<boolean>()
    for (const [from, other] of pairs) {
      const expected = isAligned(from, other, 'relaxed')
      results.add(expected)
      const byDkim = { headerFrom: `ada@${from}`, dkimDomains: [{ domain: other }], spfDomains: [], resolver }
      const bySpf = { headerFrom: `ada@${from}`, dkimDomains: [], spfDomains: [{ domain: other }], resolver }
      for (const given of [byDkim, bySpf]) {
        const { status } = await dmarc.dmarc(given)
        expect([from, other, status.result]).toEqual([from, other, expected ? 'pass' : 'fail'])
      }
    }
    expect(results.size).toBe(2)
  })

  it.each([
    ['acme.com', 'acme.com', true],
    ['acme.com', 'ACME.com.', true],
    ['mail.acme.com', 'acme.com', false],
    ['bücher.de', 'xn--bcher-kva.de', true],
  ])('is strict for %s and %s: %s', (one, other, expected) => {
    expect(isAligned(one, other, 'strict')).toBe(expected)
  })
})
