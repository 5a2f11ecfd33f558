import { describe, expect, it } from 'vitest'
import {
  addressKey,
  isMailbox,
  normalizeAddress,
  parseAddresses,
} from '../../../src/mime/headers/addresses.ts'
import { expectLinearCost } from '../../support/linear-cost.ts'

describe('parseAddresses', () => {
  it.each([
    ['ada@example.com', [['', 'ada@example.com']]],
    [
      'Ada <ada@example.com>, "Doe, J" <j@d.com>',
      [
        ['Ada', 'ada@example.com'],
        ['Doe, J', 'j@d.com'],
      ],
    ],
    [
      'Team: a@b, Ada <c@d>;, e@f',
      [
        ['', 'a@b'],
        ['Ada', 'c@d'],
        ['', 'e@f'],
      ],
    ],
    ['undisclosed-recipients:;', []],
    ['"a b"@x.com', [['', '"a b"@x.com']]],
    ['"x@y"@example.com', [['', '"x@y"@example.com']]],
    ['(the boss) a@b (really)', [['the boss really', 'a@b']]],
    ['Ada', [['Ada', '']]],
    ['a@b@c', [['', 'a@b@c']]],
    ['jörg@müller.example', [['', 'jörg@müller.example']]],
    ['', []],
  ])('reads %j', (text, expected) => {
    expect(parseAddresses(text).map(({ name, address }) => [name, address])).toEqual(expected)
  })
})

describe('normalizeAddress', () => {
  it.each([
    ['ada@example.com', 'ada@example.com'],
    ['Ada@Example.COM', 'Ada@Example.COM'],
    ['root@localhost', 'root@localhost'],
    ['jörg@example.com', 'jörg@example.com'],
    ['ada@Müller.example', 'ada@xn--mller-kva.example'],
    ['ada@例え。テスト', 'ada@xn--r8jz45g.xn--zckzah'],
    ['"a b@c"@example.com', '"a b@c"@example.com'],
    ['ada@[127.0.0.1]', 'ada@[127.0.0.1]'],
    ['ada@[IPv6:::1]', 'ada@[IPv6:::1]'],
    ['ada@1.2', 'ada@1.2'],
    [`${'a'.repeat(64)}@${'b'.repeat(63)}.com`, `${'a'.repeat(64)}@${'b'.repeat(63)}.com`],
    [`a@${'b.'.repeat(126)}ccc`, `a@${'b.'.repeat(126)}ccc`],
  ])('accepts %j', (address, expected) => {
    expect(normalizeAddress(address)).toEqual({ address: expected })
  })

  it.each([
    ['', 'is empty'],
    ['ada', 'has no "@"'],
    ['@example.com', 'has nothing before the "@"'],
    ['ada@', 'has nothing after the "@"'],
    ['a@b@c', 'has more than one "@"'],
    ['a b@c', 'has a space'],
    ['a@b c', 'has a space'],
    ['a@b\r\nBcc: c@d', 'has a control character'],
    ['Ada <ada@example.com>', 'has a space'],
    ['<ada@example.com>', 'has a character before the "@" that needs quotes'],
    [`${'a'.repeat(65)}@b`, 'has more than 64 octets before the "@"'],
    [`${'ü'.repeat(33)}@b`, 'has more than 64 octets before the "@"'],
    [`a@${'b'.repeat(64)}.com`, 'has a domain label longer than 63 characters'],
    [`a@${'b.'.repeat(126)}cccc`, 'has a domain longer than 255 octets'],
    [`a@${'b.'.repeat(130)}com`, 'has a domain longer than 255 octets'],
    ['a@b..c', 'has an empty label in its domain'],
    ['a@b.', 'has an empty label in its domain'],
    ['a@-b.c', 'has a domain label that is no host name: "-b"'],
    ['a@b.c>', 'has a domain label that is no host name: "c>"'],
    ['a@ex%41mple.com', 'has a domain label that is no host name: "ex%41mple"'],
    ['a@ü%41.com', 'has a domain that is no internationalised domain name'],
    ['"a@b', 'has no "@"'],
    ['"a"b@c', 'has no "@"'],
    ['a\ud800@b.c', 'has half of a surrogate pair'],
    ['a@\udc00b.c', 'has half of a surrogate pair'],
  ])('refuses %j', (address, problem) => {
    expect(normalizeAddress(address)).toEqual({ problem })
  })
})

describe('addressKey', () => {
  it.each([
    ['ada@example.com', 'Ada@EXAMPLE.com'],
    ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
    ['ada@bücher.example', 'ADA@XN--BCHER-KVA.Example'],
    ['ada@bücher.example', 'ada@BÜCHER.example'],
    ['ada@bücher.example', 'ada@bu\u0308cher.example'],
    ['ada@例え。テスト', 'ada@xn--r8jz45g.xn--zckzah'],
    ['jörg@example.com', 'JÖRG@example.com'],
    ['jörg@example.com', 'jo\u0308rg@example.com'],
    ['"a@b"@bücher.example', '"a@b"@xn--bcher-kva.example'],
  ])('of %j and %j is the same', (one, other) => {
    expect(addressKey(one)).toBe(addressKey(other))
    expect(isMailbox(`Ada <${one}>`, other)).toBe(true)
    expect(isMailbox(other, one)).toBe(true)
  })

  it.each([
    ['ada@example.com', 'canada@example.com'],
    ['ada@example.com', 'ada@example.com.test'],
    ['ada@bücher.example', 'ada@bucher.example'],
    ['ü@1.2', 'ü@1.0.0.2'],
    ['ü@a%62.test', 'ü@ab.test'],
    ['', 'a@b'],
  ])('of %j and %j differs', (one, other) => {
    expect(addressKey(one)).not.toBe(addressKey(other))
  })
})

describe('an address list', () => {
  it.each([
    'a@b.test, ',
    'Ada Lovelace <ada@example.com>, ',
    '"Ada \\" L" <ada@example.com>, ',
    'g: a@b.test; ',
    '<a@b.test>',
    '<',
    '("',
    '(',
    '"',
    '\\',
    ':;',
    '@',
    ',',
  ])('takes linear time, of nothing but %j', (piece) => {
    expectLinearCost((size) => parseAddresses(piece.repeat(size / piece.length)), 50_000)
  })
})
