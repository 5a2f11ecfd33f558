import { beforeEach, describe, expect, it } from 'vitest'
import { type ApiKeyRecord, apiKeyCollection } from '../../src/keys/key.ts'
import { createRandomSources, type RandomSource } from '../../src/core/random.ts'
import { createKeys, maskKey } from '../../src/keys/keys.ts'
import { apiKeySchema } from '../../src/keys/schema.ts'
import { createFollowing, type Following } from '../../src/store/follow.ts'
import type { Store } from '../../src/store/store.ts'
import { openParts, type Parts } from '../support/deps.ts'

let parts: Parts & { random: RandomSource; following: Following }
const none = { given: [], acceptAny: false }

beforeEach(async () => {
  const random = createRandomSources(null)('keys')
  parts = { ...(await openParts()), random, following: createFollowing() }
})

describe('API keys', () => {
  it('are made at the first start and kept', async () => {
    const keys = await createKeys({ ...parts, ...none })
    expect(keys.primary().value).toMatch(/^lp_[\w-]{40}$/)
    expect(keys.scopeOf(keys.primary().value)).toBe('full')
    const restarted = await createKeys({ ...parts, ...none })
    expect(restarted.primary().value).toBe(keys.primary().value)
    expect(restarted.scopeOf(keys.primary().value)).toBe('full')
    expect(restarted.list()).toEqual(keys.list())
  })

  it('are compared as a whole and exactly', async () => {
    const keys = await createKeys({ ...parts, ...none })
    const key = keys.primary().value
    for (const wrong of ['', 'x', key.slice(0, -1), `${key}x`, ` ${key}`, key.toUpperCase()]) {
      expect(keys.scopeOf(wrong)).toBe(null)
    }
  })

  it('are not put back by what another instance reports while their removal is stored', async () => {
    let put: (key: ApiKeyRecord) => unknown = () => undefined
    let onCommit = (): unknown => undefined
    const following: Following = {
      ...createFollowing(),
      async open(_store, _collection, memory) {
        put = (key) => memory.put(key as unknown as Parameters<typeof memory.put>[0])
      },
    }
    const commit: Store['commit'] = (writes) => {
      onCommit()
      return parts.store.commit(writes)
    }
    const keys = await createKeys({ ...parts, ...none, following, store: { commit } as unknown as Store })
    const first = await parts.store.get(apiKeyCollection, keys.primary().id)
    const second = await keys.create()
    if (!first) throw new Error('The first key is not stored.')
    onCommit = () => put(first)
    const removal = keys.remove(first.id)
    await expect(keys.remove(second.id)).rejects.toMatchObject({ code: 'state_conflict' })
    await removal
    expect(keys.list().map(({ id }) => id)).toEqual([second.id])
  })

  it('from the options are used next to the stored ones and come first', async () => {
    const keys = await createKeys({ ...parts, given: ['first-key', 'second-key'], acceptAny: false })
    expect(keys.primary().value).toBe('first-key')
    expect(keys.scopeOf('first-key')).toBe('full')
    expect(keys.scopeOf('second-key')).toBe('full')
    expect(keys.list().map(({ id, source }) => [id, source])).toEqual([
      ['option_1', 'option'],
      ['option_2', 'option'],
      [expect.stringMatching(/^key_/), 'stored'],
    ])
    await expect(keys.remove('option_1')).rejects.toMatchObject({ code: 'state_conflict' })
    const without = await createKeys({ ...parts, ...none })
    expect(without.scopeOf('first-key')).toBe(null)
    expect(without.list()).toHaveLength(1)
  })

  it('may be any non-empty value, where the option allows it', async () => {
    const keys = await createKeys({ ...parts, given: [], acceptAny: true })
    expect(keys.scopeOf('anything')).toBe('full')
    expect(keys.scopeOf('')).toBe(null)
  })

  it('are created, listed without their value, and removed', async () => {
    const keys = await createKeys({ ...parts, ...none })
    const made = await keys.create({ name: 'CI' })
    expect(made).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'CI',
      scope: 'full',
      created: parts.clock.now(),
      value: expect.stringMatching(/^lp_[\w-]{40}$/),
      source: 'stored',
    })
    expect(keys.scopeOf(made.value)).toBe('full')
    const listed = keys.list()
    expect(listed).toHaveLength(2)
    expect(listed[1]).toEqual({ ...made, value: maskKey(made.value) })
    expect(apiKeySchema.parse(listed[1])).toEqual(listed[1])
    expect(JSON.stringify(listed)).not.toContain(made.value)
    expect(keys.list({ reveal: () => true })[1]).toEqual(made)
    await keys.remove(made.id)
    expect(keys.scopeOf(made.value)).toBe(null)
    expect((await createKeys({ ...parts, ...none })).scopeOf(made.value)).toBe(null)
  })

  it('cannot all be removed, even if two are removed at the same time', async () => {
    const keys = await createKeys({ ...parts, ...none })
    await keys.create()
    const results = await Promise.allSettled(keys.list().map(({ id }) => keys.remove(id)))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(results[1]).toMatchObject({ reason: { code: 'state_conflict' } })
    expect(keys.scopeOf(keys.primary().value)).toBe('full')
    await expect(keys.remove('key_0123456789abcdefghjkmn')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('keep their scope where any value is accepted', async () => {
    const keys = await createKeys({ ...parts, given: [], acceptAny: true })
    const { value } = await keys.create({ scope: 'send' })
    expect([keys.scopeOf(value), keys.scopeOf('other')]).toEqual(['send', 'full'])
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
