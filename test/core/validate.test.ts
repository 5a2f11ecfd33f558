import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { LocalpostError } from '../../src/core/errors.ts'
import { fieldName, parseInput } from '../../src/core/validate.ts'

const schema = z.object({
  name: z.string().min(1).max(5),
  tags: z.array(z.string()).max(2).optional(),
  state: z.enum(['on', 'off']).optional(),
  size: z.int().min(1).optional(),
  variables: z.record(z.string(), z.union([z.string(), z.object({ value: z.string() })])).optional(),
  files: z.array(z.object({ path: z.string() })).optional(),
  kind: z.literal('a').optional(),
})

function errorsOf(value: unknown): unknown {
  try {
    return parseInput(schema, value)
  } catch (error) {
    if (!(error instanceof LocalpostError)) throw error
    expect(error.code).toBe('validation_error')
    return Object.fromEntries((error.errors ?? []).map(({ field, message }) => [field, message]))
  }
}

describe('reading input', () => {
  it('returns the members of the schema and drops the rest', () => {
    expect(parseInput(schema, { name: 'a', other: 1 })).toEqual({ name: 'a' })
  })

  it.each([
    [42, { body: 'must be an object, not 42' }],
    [null, { body: 'must be an object, not null' }],
    [[], { body: 'must be an object, not []' }],
    [undefined, { body: 'is missing; it must be an object' }],
    [{}, { name: 'is missing; it must be a string' }],
    [{ name: 42 }, { name: 'must be a string, not 42' }],
    [{ name: '' }, { name: 'must not be empty' }],
    [{ name: 'abcdef' }, { name: 'must have at most 5 characters, not 6: "abcdef"' }],
    [{ name: 'a', tags: ['x', 3] }, { 'tags[1]': 'must be a string, not 3' }],
    [{ name: 'a', tags: ['x', 'y', 'z'] }, { tags: 'must have at most 2 entries, not 3' }],
    [{ name: 'a', state: 'up' }, { state: 'must be one of "on", "off", not "up"' }],
    [{ name: 'a', kind: 'b' }, { kind: 'must be "a", not "b"' }],
    [{ name: 'a', size: 0 }, { size: 'must be at least 1, not 0' }],
    [{ name: 'a', size: 1.5 }, { size: 'must be an integer, not 1.5' }],
    [{ name: 'a', variables: { x: 1 } }, { 'variables.x': 'must be a string or an object, not 1' }],
    [{ name: 'a', variables: { x: { value: 1 } } }, { 'variables.x.value': 'must be a string, not 1' }],
    [{ name: 'a', variables: { 'x y': 1 } }, { 'variables["x y"]': 'must be a string or an object, not 1' }],
    [
      { name: 1, files: [{}] },
      { name: 'must be a string, not 1', 'files[0].path': 'is missing; it must be a string' },
    ],
  ])('describes in words what is wrong with %j', (value, errors) => {
    expect(errorsOf(value)).toEqual(errors)
  })

  it('writes paths in the usual notation', () => {
    expect(fieldName(['a', 0, 'b'])).toBe('a[0].b')
    expect(fieldName([])).toBe('body')
  })
})
