import { getDomain } from 'tldts'
import { describe, expect, it } from 'vitest'
import { parseDomainName, toDomainName, zoneOf } from '../../src/domains/names.ts'

describe('a domain name', () => {
  it.each([
    ['acme.com', 'acme.com'],
    ['Mail.ACME.com', 'mail.acme.com'],
    ['acme.com.', 'acme.com'],
    ['münchen.de', 'xn--mnchen-3ya.de'],
    ['MÜNCHEN.de', 'xn--mnchen-3ya.de'],
    ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
    ['日本。jp', 'xn--wgv71a.jp'],
    ['acme.test', 'acme.test'],
    ['acme.example', 'acme.example'],
    ['mail.acme.co.uk', 'mail.acme.co.uk'],
    ['uk.com', 'uk.com'],
    [`${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com`],
  ])('accepts %s as %s', (given, stored) => {
    expect(parseDomainName(given)).toBe(stored)
    expect(toDomainName(given)).toBe(stored)
  })

  const long = `${`${'a'.repeat(61)}.`.repeat(4)}acme.test`
  it.each([
    ['', 'is empty'],
    ['https://acme.com', 'is a URL or has a port or path; give the domain alone, such as "acme.com"'],
    ['acme.com/path', 'is a URL'],
    ['acme.com:8080', 'is a URL'],
    ['hi@acme.com', 'is an address; give the part after the @: "acme.com"'],
    ['127.0.0.1', 'is an IP address'],
    ['127.0.0.1.', 'is an IP address'],
    ['0x7f.1', 'is an IP address'],
    ['1.2.3', 'is an IP address'],
    ['::1', 'is an IP address'],
    ['[::1]', 'is an IP address'],
    ['localhost', 'is a single label'],
    ['com', 'is a single label'],
    ['co.uk', 'is a public suffix; give a domain below it, such as "acme.co.uk"'],
    [`${'a'.repeat(64)}.com`, 'has a label of 64 characters'],
    [`${'ü'.repeat(60)}.de`, 'has a label of'],
    [long, 'has 257 characters; at most 253 are allowed'],
    ['my_app.com', 'has an underscore'],
    ['-acme.com', 'has a hyphen at the edge of the label "-acme"'],
    ['acme-.com', 'has a hyphen at the edge of the label "acme-"'],
    ['acme..com', 'has an empty label'],
    ['.acme.com', 'has an empty label'],
    ['acme.com..', 'has an empty label'],
    ['acme .com', 'has white space'],
    ['acme.com\n', 'has white space'],
    ['ac%6de.com', 'has the character "%"'],
    ['*.acme.com', 'has the character "*"'],
    ['xn--a.com', 'is not a valid domain name'],
    ['acme.123', 'is not a valid domain name'],
  ])('refuses %j and says why', (given, reason) => {
    expect(toDomainName(given)).toBeNull()
    expect(() => parseDomainName(given)).toThrow(
      expect.objectContaining({
        code: 'validation_error',
        errors: [{ field: 'name', message: expect.stringContaining(reason) }],
      }),
    )
  })

  it('may be 253 characters long', () => {
    expect(toDomainName(long.slice(4))).toHaveLength(253)
    expect(toDomainName(long.slice(3))).toBeNull()
  })

  it.each([
    ['acme.com', 'acme.com'],
    ['a.b.acme.co.uk', 'acme.co.uk'],
    ['mail.acme.test', 'acme.test'],
    // A suffix that a company owns: the owner's zone begins below it, unless the owner is that company.
    ['mail.acme.uk.com', 'acme.uk.com'],
    ['github.io', 'github.io'],
    ['co.uk', null],
  ])('%s is in the zone %s', (name, zone) => {
    expect(zoneOf(name)).toBe(zone)
  })

  const ends =
    'test example invalid localhost example.com example.net example.org myexample.com com co.uk'.split(' ')
  const begins = [
    '',
    'a.',
    'mail.a-b.',
    'x--y.a1.',
    '-a.',
    'a-.',
    'a..',
    '*.a.',
    '_dmarc.a.',
    'A.',
    'é.',
    'a b.',
  ]
  it.each(ends)('%s and the names below it are in the zone that the list of public suffixes says', (end) => {
    for (const begin of begins) {
      const name = begin + end
      expect([name, zoneOf(name)]).toEqual([
        name,
        getDomain(name, { allowPrivateDomains: true }) ?? getDomain(name),
      ])
    }
  })
})
