import { describe, expect, it } from 'vitest'
import { renderErrorReference } from '../scripts/error-reference.ts'
import { isErrorOf, LocalpostError, validationError } from '../src/core/errors.ts'
import { quote } from '../src/core/quote.ts'

describe('an error', () => {
  it('has the status of its code and the one body', () => {
    const error = new LocalpostError('not_found', 'No email has the id "x".')
    expect(error.status).toBe(404)
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      statusCode: 404,
      name: 'not_found',
      message: 'No email has the id "x".',
    })
  })

  it('of several members names the first and lists all', () => {
    const error = validationError([
      { field: 'to', message: 'is missing' },
      { field: 'html', message: 'is missing' },
    ])
    expect(error.message).toBe('to: is missing (and 1 more, see errors)')
    expect(error.toJSON().errors).toHaveLength(2)
  })

  it('names at most a hundred wrong members, and counts the others', () => {
    const fields = Array.from({ length: 102 }, (_, i) => ({ field: `f${i}`, message: 'is wrong' }))
    expect(validationError(fields.slice(0, 100)).errors).toEqual(fields.slice(0, 100))
    const error = validationError(fields)
    expect(error.errors).toEqual([...fields.slice(0, 100), { field: 'body', message: 'and 2 more' }])
    expect(error.message).toBe('f0: is wrong (and 101 more, see errors)')
  })

  it('is identified by its code', () => {
    const error = new LocalpostError('closed', 'x')
    expect(isErrorOf(error, 'not_found', 'closed')).toBe(true)
    expect(isErrorOf(error, 'not_found')).toBe(false)
    expect(isErrorOf(new Error('closed'), 'closed')).toBe(false)
  })
})

describe('a quoted value', () => {
  it('is JSON, and short', () => {
    expect(quote('a"b')).toBe('"a\\"b"')
    expect(quote({ a: 1 })).toBe('{"a":1}')
    expect(quote(undefined)).toBe('undefined')
    expect(quote('x'.repeat(1000))).toHaveLength(80)
  })

  it('may be anything, and only its first characters are read', () => {
    let deep: unknown = 1
    for (let i = 0; i < 200_000; i++) deep = [deep]
    expect(quote(deep)).toBe(`${'['.repeat(79)}…`)
    expect(quote(Array(1_000_000).fill('x'.repeat(1000)))).toHaveLength(80)
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    const broken = {
      toJSON: () => {
        throw new Error('no')
      },
    }
    for (const value of [cycle, broken, { a: 1n }]) expect(quote(value)).toBe('an object')
    expect([quote(10n), quote(Symbol('s')), quote(null), quote(1.5)]).toEqual([
      '10',
      'Symbol(s)',
      'null',
      '1.5',
    ])
  })
})

describe('the reference of the errors', () => {
  it('has a section for every code; `npm run docs` writes it', async () => {
    await expect(renderErrorReference()).toMatchFileSnapshot('../docs/errors.md')
  })
})
