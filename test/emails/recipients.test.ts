import { describe, expect, it } from 'vitest'
import { readAddresses } from '../../src/sending/recipients.ts'

function read(to: string | string[], from = 'hi@acme.test') {
  const errors: { field: string; message: string }[] = []
  const addresses = readAddresses(
    { from, to, cc: undefined, bcc: undefined, reply_to: undefined },
    errors,
    [],
  )
  return { ...addresses, errors: errors.map(({ field, message }) => `${field}: ${message}`) }
}

describe('recipients', () => {
  it.each([
    ['ada@example.com', ['ada@example.com']],
    ['Ada <ada@example.com>', ['ada@example.com']],
    ['"Lovelace, Ada" <ada@example.com>', ['ada@example.com']],
    ['ada@example.com (Ada)', ['ada@example.com']],
    ['Ada <"a b"@x.test>', ['"a b"@x.test']],
    ['"A" <"a  b"@x.test>, Bob < "b @ b"@x.test >', ['"a  b"@x.test', '"b @ b"@x.test']],
    ['Ada <"a\\"b"@x.test>', ['"a\\"b"@x.test']],
    ['Ada <"a,b;c:d<e>(f)"@x.test>', ['"a,b;c:d<e>(f)"@x.test']],
    ['"a b"@x.test', ['"a b"@x.test']],
    ['ada@example.com, Bob <bob@example.com>', ['ada@example.com', 'bob@example.com']],
  ])('of %j are read', (text, to) => {
    expect(read(text)).toMatchObject({ to, errors: [] })
  })

  it.each([
    ['ada', 'to: must be an address: "ada" has none'],
    ['Ada Lovelace', 'to: must be an address: "Ada Lovelace" has none'],
    ['ada, bob@x.test', 'to: must be an address: "ada" has none'],
    ['<>', 'to: must be an address: "<>" has none'],
    ['a b@c.test', 'to: "a b@c.test" has text beside "b@c.test", which then needs angle brackets'],
    ['a@x.test b@x.test', 'to: "a@x.test b@x.test" has two addresses without a comma between them'],
  ])('of %j are refused with the reason', (text, message) => {
    expect(read(text).errors).toEqual([message])
  })

  it('and invalid senders are named as they were given', () => {
    expect(read('ada@x.test', 'ada').errors).toEqual([
      'from: must be one address such as "Acme <hi@acme.com>": "ada" has none',
    ])
    expect(read('ada@x.test', 'a b@c.test').errors).toEqual([
      'from: "a b@c.test" has text beside "b@c.test", which then needs angle brackets',
    ])
  })
})
