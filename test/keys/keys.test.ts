import { beforeEach, describe, expect, it } from 'vitest'
import { createKeys, maskKey } from '../../src/keys/keys.ts'
import { apiKeySchema } from '../../src/keys/schema.ts'
import { openParts, type Parts } from '../support/deps.ts'

let parts: Parts
const none = { given: [], acceptAny: false }

beforeEach(async () => {
  parts = await openParts()
})

describe('API keys', () => {
  it('are made at the first start and kept', async () => {
    const keys = await createKeys({ ...parts, ...none })
    expect(keys.primary()).toMatch(/^lp_[\w-]{40}$/)
    expect(keys.accepts(keys.primary())).toBe(true)
    const restarted = await createKeys({ ...parts, ...none })
    expect(restarted.primary()).toBe(keys.primary())
    expect(restarted.accepts(keys.primary())).toBe(true)
    expect(restarted.list()).toEqual(keys.list())
  })

  it('are compared as a whole and exactly', async () => {
    const keys = await createKeys({ ...parts, ...none })
    const key = keys.primary()
    for (const wrong of ['', 'x', key.slice(0, -1), `${key}x`, ` ${key}`, key.toUpperCase()]) {
      expect(keys.accepts(wrong)).toBe(false)
    }
  })

  it('from the options are used next to the stored ones and come first', async () => {
    const keys = await createKeys({ ...parts, given: ['first-key', 'second-key'], acceptAny: false })
    expect(keys.primary()).toBe('first-key')
    expect(keys.accepts('first-key')).toBe(true)
    expect(keys.accepts('second-key')).toBe(true)
    expect(keys.list().map(({ id, source }) => [id, source])).toEqual([
      ['option_1', 'option'],
      ['option_2', 'option'],
      [expect.stringMatching(/^key_/), 'stored'],
    ])
    await expect(keys.remove('option_1')).rejects.toMatchObject({ code: 'state_conflict' })
    const without = await createKeys({ ...parts, ...none })
    expect(without.accepts('first-key')).toBe(false)
    expect(without.list()).toHaveLength(1)
  })

  it('may be any non-empty value, where the option allows it', async () => {
    const keys = await createKeys({ ...parts, given: [], acceptAny: true })
    expect(keys.accepts('anything')).toBe(true)
    expect(keys.accepts('')).toBe(false)
  })

  it('are created, listed without their value, and removed', async () => {
    const keys = await createKeys({ ...parts, ...none })
    const made = await keys.create({ name: 'CI' })
    expect(made).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'CI',
      created: parts.clock.now(),
      value: expect.stringMatching(/^lp_[\w-]{40}$/),
      source: 'stored',
    })
    expect(keys.accepts(made.value)).toBe(true)
    const listed = keys.list()
    expect(listed).toHaveLength(2)
    expect(listed[1]).toEqual({ ...made, value: maskKey(made.value) })
    expect(apiKeySchema.parse(listed[1])).toEqual(listed[1])
    expect(JSON.stringify(listed)).not.toContain(made.value)
    expect(keys.list({ reveal: true })[1]).toEqual(made)
    await keys.remove(made.id)
    expect(keys.accepts(made.value)).toBe(false)
    expect((await createKeys({ ...parts, ...none })).accepts(made.value)).toBe(false)
  })

  it('cannot all be removed, even if two are removed at the same time', async () => {
    const keys = await createKeys({ ...parts, ...none })
    await keys.create()
    const results = await Promise.allSettled(keys.list().map(({ id }) => keys.remove(id)))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(results[1]).toMatchObject({ reason: { code: 'state_conflict' } })
    expect(keys.accepts(keys.primary())).toBe(true)
    await expect(keys.remove('key_0123456789abcdefghjkmn')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('refuse a name of another type', async () => {
    const keys = await createKeys({ ...parts, ...none })
    await expect(Reflect.apply(keys.create, undefined, [{ name: 5 }])).rejects.toMatchObject({
      code: 'validation_error',
      errors: [{ field: 'name' }],
    })
  })

  it.each([
    [`lp_abcd${'x'.repeat(32)}wxyz`, 'lp_abcd…wxyz'],
    ['first-key', 'fi…'],
    ['dev', '…'],
    ['', '…'],
  ])('are shown masked: %s as %s', (key, masked) => {
    expect(maskKey(key)).toBe(masked)
  })
})
