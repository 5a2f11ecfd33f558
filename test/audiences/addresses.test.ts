import { describe, expect, it } from 'vitest'
import { contactAddressFault, emailKey } from '../../src/audiences/addresses.ts'

describe("a contact's address", () => {
  it.each([
    'ada@example.com',
    'Ada.Lovelace+news@Example.COM',
    "o'brien@example.com",
    'ada@localhost',
    'ada@münchen.de',
    'дмитрий@пример.рф',
    `${'a'.repeat(64)}@example.com`,
  ])('may be %s', (email) => {
    expect(contactAddressFault(email)).toBeNull()
  })

  it.each([
    ['', 'is empty'],
    ['ada', 'exactly one @'],
    ['ada@b@c.test', 'exactly one @'],
    ['@example.com', 'nothing before the @'],
    ['ada@', 'nothing after the @'],
    ['ada @example.com', 'white space or a control character'],
    ['ada@example.com\r\nBcc: x@y.test', 'white space or a control character'],
    ['ada\u200b@example.com', 'white space or a control character'],
    ['Ada <ada@example.com>', 'white space'],
    ['<ada@example.com>', 'not a bare address'],
    ['ada@example.com,bob@example.com', 'not a bare address'],
    ['ada@example..com', 'an empty label'],
    ['ada@.example.com', 'an empty label'],
    ['ada@exa_mple!.com', 'a domain that is not valid'],
    [`${'a'.repeat(65)}@example.com`, 'more than 64 octets'],
    [`${'ü'.repeat(33)}@example.com`, 'more than 64 octets'],
    [`ada@${'a'.repeat(64)}.com`, 'too long'],
    [`ada@${`${'a'.repeat(60)}.`.repeat(5)}com`, 'too long'],
  ])('may not be %j', (email, reason) => {
    expect(contactAddressFault(email)).toContain(reason)
  })

  it('is the same key in any case and either form of its accents', () => {
    expect(emailKey('ADA@Example.com')).toBe('ada@example.com')
    expect(emailKey('Jose\u0301@example.com')).toBe(emailKey('jos\u00e9@example.com'))
  })
})
