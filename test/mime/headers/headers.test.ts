import { describe, expect, it } from 'vitest'
import { decodeHeaderValue } from '../../../src/mime/headers/decode-field.ts'
import { readHeader, type HeaderBlock } from '../../../src/mime/headers/headers.ts'
import { expectLinearCost } from '../../support/linear-cost.ts'

const read = (text: string, encoding: BufferEncoding = 'utf8'): HeaderBlock =>
  readHeader(Buffer.from(text, encoding))

describe('a header block', () => {
  it('gives the fields in order, unfolded, with their names as written', () => {
    const block = read(
      'From: a@b\r\nX-Long:  one\r\n two\r\n\tthree  \r\nEmpty:\r\nFROM : c@d\r\n\r\nBody: no\r\n',
    )
    expect(block.fields).toEqual([
      ['From', 'a@b'],
      ['X-Long', 'one two three'],
      ['Empty', ''],
      ['FROM', 'c@d'],
    ])
    expect(block.bodyStart).toBe(63)
    expect(block.decoded('from')).toBe('a@b')
    expect(block.decoded('Missing')).toBe('')
    expect(block.addresses('From')).toEqual([
      { name: '', address: 'a@b' },
      { name: '', address: 'c@d' },
    ])
  })

  it('finds the end of the header, also across the first chunk', () => {
    for (let length = 4080; length < 4110; length++) {
      const head = `A: ${'a'.repeat(length - 5)}\r\n`
      const block = read(`${head}\r\nBody: no\r\n\r\n`)
      expect(block.fields).toEqual([['A', 'a'.repeat(length - 5)]])
      expect(block.bodyStart).toBe(length + 2)
    }
  })

  it.each([
    [
      'bare LF',
      'A: 1\nB: 2\n\nbody',
      [
        ['A', '1'],
        ['B', '2'],
      ],
      11,
    ],
    [
      'no empty line',
      'A: 1\r\nB: 2',
      [
        ['A', '1'],
        ['B', '2'],
      ],
      10,
    ],
    [
      'a CR at the very end',
      'A: 1\r\nB: 2\r',
      [
        ['A', '1'],
        ['B', '2'],
      ],
      11,
    ],
    [
      'a fold that is empty',
      'A: a\r\n \r\n b\r\nB:\r\n b\r\n \r\n\r\n',
      [
        ['A', 'a  b'],
        ['B', 'b'],
      ],
      26,
    ],
    ['no header at all', '\r\nbody', [], 2],
    ['nothing', '', [], 0],
    ['a folded line at the beginning', ' folded\r\nA: 1\r\n\r\n', [['A', '1']], 17],
    ['an mbox line', 'From ada@b Fri Jan  2 03:04:05 2026\r\nA: 1\r\n\r\n', [['A', '1']], 45],
    [
      'garbage between fields',
      'A: 1\r\ngarbage\r\n of two lines\r\nB: 2\r\n\r\n',
      [
        ['A', '1'],
        ['B', '2'],
      ],
      38,
    ],
    ['a colon without a name', ': x\r\nA: 1\r\n\r\n', [['A', '1']], 13],
  ])('reads %s', (_, text, fields, bodyStart) => {
    const block = read(text)
    expect(block.fields).toEqual(fields)
    expect(block.bodyStart).toBe(bodyStart)
  })

  it('decodes encoded words, split ones too, and leaves invalid ones', () => {
    const block = read(
      'Subject: =?UTF-8?Q?=F0=9F=8E?=\r\n =?UTF-8?Q?=89_Gr=C3=BC=C3=9Fe?= x\r\nX-Odd: =?nope?Z?x?=\r\n\r\n',
    )
    expect(block.decoded('Subject')).toBe('🎉 Grüße x')
    expect(block.decoded('X-Odd')).toBe('=?nope?Z?x?=')
  })

  it('decodes display names, and never an address', () => {
    const block = read(
      'From: =?utf-8?Q?D=C3=B6e=2C_J?= <j@d.com>, =?utf-8?B?ZXZlQGV4YW1wbGUuY29t?=, Group: "Ada, L" <a@b>;\r\n\r\n',
    )
    expect(block.addresses('From')).toEqual([
      { name: 'Döe, J', address: 'j@d.com' },
      { name: 'Ada, L', address: 'a@b' },
    ])
  })

  it('reads raw UTF-8, and Latin-1, line by line', () => {
    expect(read('Subject: Grüße\r\n\r\n').decoded('Subject')).toBe('Grüße')
    const mixed = Buffer.concat([Buffer.from('A: ü\r\n'), Buffer.from('B: \xfc\r\n\r\n', 'latin1')])
    const block = readHeader(mixed)
    expect([block.decoded('A'), block.decoded('B')]).toEqual(['ü', 'ü'])
  })

  it('never throws on octets of any kind', () => {
    for (let seed = 0; seed < 200; seed++) {
      const bytes = Buffer.from(
        Array.from({ length: 500 }, (_, i) => ((i + seed) * 7919 + seed * (i >> 3)) & 0xff),
      )
      const block = readHeader(bytes)
      for (const [name, value] of block.fields) {
        const read = [block.decoded(name), decodeHeaderValue(value), JSON.stringify(block.addresses(name))]
        expect(read.filter((text) => /\p{Surrogate}/u.test(text))).toEqual([])
      }
      expect(block.bodyStart).toBeLessThanOrEqual(500)
    }
  })

  it.each([
    '\xfca',
    '\xc3\xa9\xfc',
    '=?utf-8?Q?\xc3\xa9?= \xfc',
    '=?utf-8?Q?\xc3\xa9?=\n \xfc',
    '\xc3\xa9\n \xfc\n ',
  ])('takes linear time for octets that are not UTF-8: %j', (piece) => {
    expectLinearCost((size) => {
      const value = piece.repeat(size / piece.length)
      const block = readHeader(Buffer.from(`A: ${value}\xfc\r\n\r\n`, 'latin1'))
      expect(block.decoded('A').length).toBeGreaterThan(0)
      expect(block.addresses('A')).toBeDefined()
    }, 100_000)
  })

  it('reads the first MiB only', () => {
    const field = `X-A: ${'b'.repeat(1017)}\r\n`
    const block = read(`${field.repeat(2000)}\r\nbody`)
    expect(block.bodyStart).toBe(1024 * 1024)
    expect(block.fields).toHaveLength(1024)
  })

  it('reads the first 5,000 fields, and still finds the body', () => {
    const block = read(`${'X-A: b\r\n'.repeat(6000)}\r\nbody`)
    expect(block.fields).toHaveLength(5000)
    expect(block.bodyStart).toBe(6000 * 8 + 2)
  })

  it.each([
    ['ASCII', 'Subject: one\r\nFrom: a@b.test\r\n\r\nHello', 'one'],
    ['UTF-8', 'Subject: Gr\u00fc\u00dfe\r\nFrom: a@b.test\r\n\r\nHello', 'Gr\u00fc\u00dfe'],
  ])('keeps the first field behind a byte order mark, in %s', (_, message, subject) => {
    const bytes = Buffer.from(`\ufeff${message}`)
    const block = readHeader(bytes)
    expect(block.fields[0]?.[0]).toBe('Subject')
    expect(block.decoded('subject')).toBe(subject)
    expect(bytes.subarray(block.bodyStart).toString()).toBe('Hello')
  })

  it('keeps the first field behind a byte order mark and a line that is not UTF-8', () => {
    const bytes = Buffer.from('\xef\xbb\xbfSubject: Gr\xfc\xdfe\r\n\r\nHello', 'latin1')
    expect(readHeader(bytes).decoded('subject')).toBe('Gr\u00fc\u00dfe')
  })

  it('finds addresses with quoted local parts behind the first 1,000', () => {
    const many = Array.from({ length: 1200 }, (_, n) => `"Ada, ${n}" <"a b${n}"@x.test>`)
    const block = readHeader(Buffer.from(`To: ${many.join(', ')}\r\n\r\n`))
    expect(block.addresses('to')).toHaveLength(1000)
    expect(block.furtherAddresses('to')).toEqual(many.slice(1000).map((_, n) => `"a b${n + 1000}"@x.test`))
  })
})
