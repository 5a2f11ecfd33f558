import { beforeEach, describe, expect, it } from 'vitest'
import { audienceSchema } from '../../src/audiences/schema.ts'
import { createAudiences, type Audiences } from '../../src/audiences/audiences.ts'
import { contactCollection } from '../../src/audiences/audience.ts'
import type { Store } from '../../src/store/store.ts'
import { openParts, readAll, type Parts } from '../support/deps.ts'

let parts: Parts
let audiences: Audiences

beforeEach(async () => {
  parts = await openParts()
  audiences = createAudiences(parts)
})

describe('audiences', () => {
  it('have exactly the members of docs/interface.md 2.6', async () => {
    const now = parts.clock.now()
    const created = await audiences.create({ name: 'Readers' })
    expect(created).toEqual({
      id: expect.stringMatching(/^aud_/),
      name: 'Readers',
      created_by: { email: 'ada@acme.test', first_name: 'Ada', last_name: null, profile_picture: 'data:,' },
      created: now,
      updated: now,
      contact_count: 0,
      unsubscribers: 0,
    })
    expect(await audiences.get(created.id)).toEqual(created)
    expect(await audiences.list()).toEqual({ items: [created], count: 1, cursor: null })
    expect(audienceSchema.parse(created)).toEqual(created)
  })

  it.each([[{ name: '' }], [{ name: '  ' }], [{ name: 7 }], [{ name: 'x'.repeat(201) }], [{}]])(
    'refuse %j with field name',
    async (input) => {
      await expect(Reflect.apply(audiences.create, undefined, [input])).rejects.toMatchObject({
        code: 'validation_error',
        errors: [{ field: 'name' }],
      })
    },
  )

  it('are listed newest first, and a page continues after a removed audience', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) await audiences.create({ name })
    const all = await readAll(audiences.list)
    expect(all).toMatchObject({ pages: 3, count: 7 })
    expect(all.items.map(({ name }) => name)).toEqual(['g', 'f', 'e', 'd', 'c', 'b', 'a'])
    const { cursor } = await audiences.list()
    await audiences.remove(cursor ?? '')
    expect((await audiences.list({ cursor })).items.map(({ name }) => name)).toEqual(['d', 'c', 'b'])
  })

  it.each(['x', 'dom_0123456789abcdefghjkmn', 'ada@example.com'])('refuse the cursor %j', async (cursor) => {
    await expect(audiences.list({ cursor })).rejects.toMatchObject({ code: 'invalid_cursor' })
  })

  it('are renamed, and only then does `updated` change', async () => {
    const { id, created } = await audiences.create({ name: 'Readers' })
    await parts.clock.advance(1000)
    await audiences.contacts.add(id, { email: 'ada@example.com' })
    expect(await audiences.get(id)).toMatchObject({ created, updated: created, contact_count: 1 })
    expect(await audiences.update(id, { name: 'Authors' })).toMatchObject({
      name: 'Authors',
      created,
      updated: created + 1000,
      contact_count: 1,
    })
  })

  it('count their contacts and those who are not subscribed, after every change', async () => {
    const { id } = await audiences.create({ name: 'Readers' })
    await audiences.create({ name: 'Others' })
    const { contacts } = audiences
    const counts = async (): Promise<number[]> => {
      const { contact_count, unsubscribers } = await audiences.get(id)
      return [contact_count, unsubscribers]
    }
    const ada = await contacts.add(id, { email: 'ada@example.com' })
    const bob = await contacts.add(id, { email: 'bob@example.com', is_subscribed: false })
    expect(await counts()).toEqual([2, 1])
    await contacts.update(id, ada.id, { is_subscribed: false })
    expect(await counts()).toEqual([2, 2])
    await contacts.update(id, bob.id, { is_subscribed: true })
    expect(await counts()).toEqual([2, 1])
    await contacts.remove(id, ada.id)
    expect(await counts()).toEqual([1, 0])
    expect((await audiences.list()).items.map(({ contact_count }) => contact_count)).toEqual([0, 1])
  })

  it('are removed with their contacts, and with no others', async () => {
    const [one, two] = [await audiences.create({ name: 'One' }), await audiences.create({ name: 'Two' })]
    const many = Array.from({ length: 2500 }, (_, i) => ({ email: `person${i}@example.com` }))
    await audiences.contacts.import(one.id, many)
    await audiences.contacts.add(two.id, { email: 'ada@example.com' })
    await audiences.remove(one.id)
    await expect(audiences.get(one.id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await parts.store.count(contactCollection)).toBe(1)
    expect(await audiences.get(two.id)).toMatchObject({ contact_count: 1 })
  })

  it('leave no contact behind that was committed after their removal', async () => {
    const { id } = await audiences.create({ name: 'Short-lived' })
    let removed: Promise<void> | undefined
    const commit: Store['commit'] = async (changes, blobs) => {
      await (removed ??= audiences.remove(id))
      return parts.store.commit(changes, blobs)
    }
    const slow = createAudiences({ ...parts, store: { ...parts.store, commit } })
    await expect(slow.contacts.add(id, { email: 'late@example.com' })).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(removed).toBeDefined()
    expect(await parts.store.count(contactCollection)).toBe(0)
  })

  it('leave no contact behind that was committed during their removal', async () => {
    const { id } = await audiences.create({ name: 'Short-lived' })
    let added: Promise<unknown> | undefined
    const commit: Store['commit'] = async (changes, blobs) => {
      await (added ??= audiences.contacts.add(id, { email: 'late@example.com' }))
      return parts.store.commit(changes, blobs)
    }
    await createAudiences({ ...parts, store: { ...parts.store, commit } }).remove(id)
    expect(added).toBeDefined()
    expect(await parts.store.count(contactCollection)).toBe(0)
  })

  it('are not found where the id is unknown, and the error names it', async () => {
    const unknown = 'aud_0123456789abcdefghjkmn'
    const { contacts } = audiences
    const calls = [
      () => audiences.get(unknown),
      () => audiences.update(unknown, { name: 'x' }),
      () => audiences.remove(unknown),
      () => contacts.list(unknown),
      () => contacts.add(unknown, { email: 'ada@example.com' }),
      () => contacts.import(unknown, []),
      () => contacts.get(unknown, 'con_x'),
      () => contacts.update(unknown, 'con_x', {}),
      () => contacts.remove(unknown, 'con_x'),
    ]
    for (const call of calls) {
      await expect(call()).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringContaining(unknown),
      })
    }
  })
})
