import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { plainReader } from '../../src/emails/plain-values.ts'
import { sendMembers } from '../../src/emails/schema.ts'

const values: readonly unknown[] = [
  undefined,
  null,
  0,
  true,
  '',
  'a',
  'a'.repeat(20_000),
  'a'.repeat(20_001),
  'a'.repeat(100_001),
  [],
  ['a'],
  {},
  { name: 'Ada' },
  { name: '', other: 'b' },
  { name: 1 },
  { name: { value: 'x' } },
  { name: { value: null, default: 'y' } },
  JSON.parse('{ "__proto__": "x", "constructor": "y" }'),
  Object.create({ inherited: 'a' }),
  Object.defineProperty({ seen: 'a' }, 'hidden', { value: 'b', enumerable: false }),
  { [Symbol('s')]: 'a' },
  new Date(0),
]

describe('the fast check before a schema', () => {
  it.each(Object.entries(sendMembers))('gives the result of the schema, or none: %s', (_, schema) => {
    const read = plainReader(schema)
    for (const value of values) {
      const given = read(value)
      if (given === undefined) continue
      const result = schema.safeParse(value)
      expect(result.success).toBe(true)
      expect(given).toEqual(result.data)
    }
  })

  it('accepts what most apps send', () => {
    expect(plainReader(sendMembers.from)('a@b.test')).toBe('a@b.test')
    expect(plainReader(sendMembers.to)('a@b.test')).toBe('a@b.test')
    expect(plainReader(sendMembers.html)('')).toBe('')
    expect(plainReader(sendMembers.variables)({ name: 'Ada' })).toEqual({ name: 'Ada' })
  })

  it('returns an object that is independent of the caller’s', () => {
    const variables = { name: 'Ada' }
    expect(plainReader(sendMembers.variables)(variables)).not.toBe(variables)
  })

  it.each([
    z.string().regex(/b/),
    z.string().length(1).regex(/b/),
    z.string().trim(),
    z.email(),
    z.coerce.string(),
    z.string().default('x'),
    z.number(),
    z.array(z.string()),
    z.union([z.number(), z.array(z.string())]),
    z.record(z.string().regex(/b/), z.string()),
    z.record(z.string(), z.number()),
  ])('leaves to the schema what is more than a length: %#', (schema) => {
    for (const value of values) expect(plainReader(schema)(value)).toBeUndefined()
  })
})
