import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { encodedBodySize } from '../../src/sending/body-size.ts'
import { bodyHash } from '../../src/sending/idempotency.ts'
import { readAddresses } from '../../src/sending/recipients.ts'
import { composeMessage } from '../../src/mime/compose/compose.ts'
import { expectLinearCost } from '../support/linear-cost.ts'
import type { FieldError } from '../../src/core/errors.ts'

function addressesOf(to: string | string[]): { errors: FieldError[]; rcpt_to: string[] } {
  const errors: FieldError[] = []
  const given = { from: 'hi@acme.test', to, cc: undefined, bcc: undefined, reply_to: undefined }
  const { rcpt_to } = readAddresses(given, errors, [])
  return { errors, rcpt_to }
}

describe('addresses', () => {
  it('with an "@" in each of thousands of names cost linear time', () => {
    const read = (names: number): FieldError[] => addressesOf('"@" <a@b.c>,'.repeat(names)).errors
    expect(read(8000)).toMatchObject([
      { field: 'to', message: expect.stringContaining('at most 50') as string },
    ])
    expectLinearCost(read, 2000)
  })

  it('far beyond 50 are not read to the end', () => {
    const text = Array.from({ length: 1500 }, (_, i) => `p${i}@b.c`).join(',')
    const { errors, rcpt_to } = addressesOf(Array.from({ length: 2000 }, () => text))
    // Only the first list was read.
    expect(rcpt_to.length).toBe(1500)
    expect(errors).toEqual([
      { field: 'to', message: 'more than 1000 recipients in to, cc and bcc: at most 50 are allowed' },
    ])
  })

  it('are still refused where one of them lacks its comma', () => {
    expect(addressesOf('a@x.test b@x.test').errors).toMatchObject([{ field: 'to' }])
    expect(addressesOf('"a@x.test" < b@x.test >').errors).toEqual([])
  })
})

describe('a request that may be repeated', () => {
  it('is the same whatever the order of its members, however deep', () => {
    const one = bodyHash({ a: 1, b: { c: [1, 2], d: 'x' } })
    expect(bodyHash({ b: { d: 'x', c: [1, 2] }, a: 1 })).toEqual(one)
    expect(bodyHash({ b: { d: 'x', c: [2, 1] }, a: 1 })).not.toEqual(one)
    expect(bodyHash({ b: { d: 'x', c: [1, 2] }, a: 2 })).not.toEqual(one)
  })

  it('is the same however long it is, and other where a long text differs at its end', () => {
    const body = (end: string): object => ({ a: 1, text: 'ä'.repeat(300_000) + end, b: [{ d: 1, c: null }] })
    const one = bodyHash(body(''))
    expect(bodyHash({ b: [{ c: null, d: 1 }], ...body('') })).toEqual(one)
    expect(bodyHash(body('x'))).not.toEqual(one)
    const sorted = JSON.stringify({ a: 1, b: [{ c: null, d: 1 }], text: 'ä'.repeat(300_000) })
    expect(one).toBe(createHash('sha256').update(sorted).digest('hex'))
  })

  it('may be nested 100 levels deep, and no deeper', () => {
    const nested = (levels: number): unknown => {
      let value: unknown = 1
      for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value }
      return value
    }
    const refusal = expect.objectContaining({ code: 'validation_error' }) as Error
    bodyHash(nested(100))
    for (const levels of [101, 200_000]) expect(() => bodyHash(nested(levels))).toThrow(refusal)
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    expect(() => bodyHash(cycle)).toThrow(refusal)
  })

  it('of a library caller may be no JSON at all', () => {
    bodyHash(undefined)
    bodyHash({ subject: 10n })
  })
})

describe('the encoded size of a body', () => {
  it.each([
    ['short lines', 'Hello\n'],
    ['letters with some umlauts', 'Grüße an alle. '],
    ['umlauts', 'ü'],
    ['three bytes each', '漢字'],
    ['four bytes each', '😀'],
    ['digits with an umlaut', '12345 ü '],
    ['control characters', '\x01\x02'],
    ['one long line', 'abcdefgh '],
  ])('is close to the size in the message, and never more: %s', async (_, unit) => {
    const text = unit.repeat(Math.ceil(300_000 / unit.length))
    const size = encodedBodySize([text], 0)
    const message = await composeMessage({
      from: 'a@b.test',
      to: 'c@d.test',
      subject: 'x',
      html: '',
      text,
      message_id: '<x@b.test>',
      date: new Date(0),
    })
    expect(size).toBeLessThanOrEqual(message.size_bytes)
    expect(size).toBeGreaterThan(message.size_bytes * 0.9)
  })

  it('is the plain size where no encoding could reach the limit', () => {
    expect(encodedBodySize(['üü', 'a'], 1000)).toBe(3)
  })
})
