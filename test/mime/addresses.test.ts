import { describe, expect, it } from 'vitest'
import { foldSpace, normalizeAddress, parseAddresses } from '../../src/mime/addresses.ts'

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
  ])('takes %j', (address, expected) => {
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
    [`a@${'b.'.repeat(130)}com`, 'has a domain longer than 255 octets'],
    ['a@b..c', 'has an empty label in its domain'],
    ['a@b.', 'has an empty label in its domain'],
    ['a@-b.c', 'has a domain label that is no host name: "-b"'],
    ['a@b.c>', 'has a domain label that is no host name: "c>"'],
    ['a@ex%41mple.com', 'has a domain label that is no host name: "ex%41mple"'],
    ['a@ü%41.com', 'has a domain that is no internationalised domain name'],
    ['"a@b', 'has no "@"'],
    ['"a"b@c', 'has no "@"'],
  ])('refuses %j', (address, problem) => {
    expect(normalizeAddress(address)).toEqual({ problem })
  })
})

describe('foldSpace', () => {
  it('folds white space', () => {
    expect(foldSpace('  Acme \r\n\t Inc  <hi@acme.com> ')).toBe('Acme Inc <hi@acme.com>')
  })
})
