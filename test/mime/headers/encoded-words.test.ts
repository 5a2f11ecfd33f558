import { describe, expect, it } from 'vitest'
import { decodeEncodedWords } from '../../../src/mime/headers/encoded-words.ts'
import { readHeader } from '../../../src/mime/headers/headers.ts'
import { readParameters } from '../../../src/mime/headers/parameters.ts'
import { expectLinearCost } from '../../support/linear-cost.ts'

describe('encoded words', () => {
  it.each([
    ['=?utf-8?Q?Gr=C3=BC=c3=9fe?=', 'Grüße'],
    ['=?UTF-8?b?R3LDvMOfZQ==?=', 'Grüße'],
    ['=?utf-8?B?R3LDvMOfZQ?=', 'Grüße'],
    ['=?utf-8?Q?a_b=5Fc?=', 'a b_c'],
    ['=?iso-8859-1*de?Q?Gr=FC=DFe?=', 'Grüße'],
    ['=?iso-8859-1?Q?=93a=94?=', '“a”'],
    ['=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=', '日本'],
    ['=?us-ascii?Q?plain?=', 'plain'],
    ['a =?utf-8?Q?b?= c', 'a b c'],
    ['=?utf-8?Q?a?= =?utf-8?Q?b?=', 'ab'],
    ['=?utf-8?Q?a?= \t =?iso-8859-1?B?/A==?= c', 'aü c'],
    ['=?utf-8?Q?a_?= =?utf-8?Q?b?=', 'a b'],
    // A character that is split over two words, also of two encodings.
    ['=?utf-8?B?8J+O?= =?utf-8?B?iQ==?=', '🎉'],
    ['=?utf-8?Q?=F0=9F?= =?UTF-8?B?jok=?=', '🎉'],
    // In the wild.
    ['x=?utf-8?Q?=C3=BC?=y', 'xüy'],
    ['=?utf-8?Q?a b?=', 'a b'],
    ['=?utf-8?Q??=', ''],
    ['"=?utf-8?Q?=C3=BC?="', '"ü"'],
  ])('are decoded: %s', (written, decoded) => {
    expect(decodeEncodedWords(written)).toBe(decoded)
  })

  it.each([
    '=?utf-8?X?abc?=',
    '=?utf-8?Q?abc',
    '=?utf-8?Q?abc?',
    '=?utf-8?Q?=ZZ?=',
    '=?utf-8?Q?=4?=',
    '=?utf-8?B?a*b=?=',
    '=?utf-8?B?A?=',
    '=?x-nope?Q?abc?=',
    '=?__proto__?Q?abc?=',
    '=?hex?Q?abc?=',
    '=??Q?abc?=',
    '=?utf-8?Q',
    '=?',
    '=?=',
  ])('that are malformed or unknown stay as written: %s', (written) => {
    expect(decodeEncodedWords(written)).toBe(written)
    expect(decodeEncodedWords(`=?utf-8?Q?a?= ${written} =?utf-8?Q?b?=`)).toBe(`a ${written} b`)
  })

  it.each([
    ['Latin-1', 'iso-8859-1', Buffer.from('fcdf', 'hex'), 'üß'],
    ['UTF-8', 'utf-8', Buffer.from('üß'), 'üß'],
    ['Latin-1, called UTF-8', 'utf-8', Buffer.from('fcdf', 'hex'), 'üß'],
    ['KOI8-R', 'koi8-r', Buffer.from('d0d2', 'hex'), 'пр'],
    ['Shift_JIS', 'shift_jis', Buffer.from('93fa', 'hex'), '日'],
  ])('may have raw octets in %s', (_, charset, octets, text) => {
    const block = readHeader(
      Buffer.concat([Buffer.from(`Subject: =?${charset}?Q?`), octets, Buffer.from('_=21?=\r\n\r\n')]),
    )
    expect(block.decoded('Subject')).toBe(`${text} !`)
  })

  it.each([
    '=?utf-8?Q?=C3=BC?= ',
    '=?utf-8?Q?=C3?==?utf-8?Q?=BC?=',
    '=?utf-8?B?w7w=?=\r\n ',
    '=?utf-8?Q?x?= =?iso-8859-1?Q?y?= ',
    '=?utf-8?Q?',
    '=?utf-8?Q?a?',
    '=?',
    '?=',
    '=?x-nope?Q?a?= ',
    '=?iso-2022-jp?B?GyRCRnxLXBsoQg==?= =?koi8-r?Q?=D0?= ',
  ])('take linear time: %j', (piece) => {
    expectLinearCost((size) => decodeEncodedWords(piece.repeat(size / piece.length)), 100_000)
  })
})

describe('parameters', () => {
  it.each([
    ['a/b; charset=us-ascii (Plain text)', 'charset', 'us-ascii'],
    ['a/b; charset="us-ascii"', 'charset', 'us-ascii'],
    ['a/b; CHARSET = "us\\"x"', 'charset', 'us"x'],
    ['a/b; x="a;b"; y=c', 'y', 'c'],
    ['a/b; x=1; x=2', 'x', '1'],
    ['a/b;; y=c;', 'y', 'c'],
    ['a/b; name=report (1).pdf', 'name', 'report (1).pdf'],
    ['a/b; name="open', 'name', 'open'],
    ['a/b; name=x y', 'name', 'x y'],
    ["a/b; name*=utf-8''%E2%82%AC", 'name', '€'],
    ["a/b; name=old; name*=utf-8''%E2%82%AC", 'name', '€'],
    ['a/b; name*0*=utf-8\'\'%E2%82; name*1*=%AC; name*2="%41"', 'name', '€%41'],
    ['a/b; name*10=k; name*2=c; name*1=b; name*0=a', 'name', 'abck'],
    ['a/b; name*=%E2%82%AC', 'name', '€'],
    ["a/b; name*=x-nope''%FC", 'name', 'ü'],
    ["a/b; name*=utf-8''%=%ZZ", 'name', '%=%ZZ'],
    ['a/b; name="=?utf-8?Q?=C3=BC?= =?utf-8?Q?=C3=BC?="', 'name', 'üü'],
    ['a/b; name==?utf-8?B?w7w=?=', 'name', 'ü'],
    ['a/b; __proto__=x', '__proto__', 'x'],
  ])('are read: %s', (written, name, value) => {
    expect(readParameters(written).value).toBe('a/b')
    expect(readParameters(written).parameters.get(name)).toBe(value)
  })
})
