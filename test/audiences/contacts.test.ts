import { beforeEach, describe, expect, it } from 'vitest'
import { createAudiences, type Audiences } from '../../src/audiences/audiences.ts'
import type { Contacts } from '../../src/audiences/contacts.ts'
import { contactSchema } from '../../src/audiences/schema.ts'
import { openParts, readAll, type Parts } from '../support/deps.ts'

let parts: Parts
let audiences: Audiences
let contacts: Contacts
let id: string

beforeEach(async () => {
  parts = await openParts()
  audiences = createAudiences(parts)
  contacts = audiences.contacts
  id = (await audiences.create({ name: 'Readers' })).id
})

describe('contacts', () => {
  it('have exactly the members of docs/interface.md 2.7', async () => {
    const now = parts.clock.now()
    const contact = await contacts.add(id, { email: 'Ada@Example.com' })
    expect(contact).toEqual({
      id: expect.stringMatching(/^con_/),
      first_name: null,
      last_name: null,
      email: 'Ada@Example.com',
      is_subscribed: true,
      created: now,
      updated: now,
    })
    expect(await contacts.get(id, contact.id)).toEqual(contact)
    expect(await contacts.list(id)).toEqual({ items: [contact], count: 1, cursor: null })
    expect(contactSchema.parse(contact)).toEqual(contact)
  })

  it('are updated by the members given when their email is added again, in any case', async () => {
    const first = await contacts.add(id, {
      email: 'ada@example.com',
      first_name: 'Ada',
      is_subscribed: false,
    })
    await parts.clock.advance(1000)
    const again = await contacts.add(id, { email: 'ADA@example.com', last_name: 'Lovelace' })
    expect(again).toEqual({
      ...first,
      email: 'ADA@example.com',
      last_name: 'Lovelace',
      updated: first.updated + 1000,
    })
    expect((await contacts.list(id)).count).toBe(1)
  })

  it('are one contact when the same email is added many times at once', async () => {
    const added = await Promise.all(
      Array.from({ length: 30 }, () => contacts.add(id, { email: 'ada@example.com' })),
    )
    expect(new Set(added.map((contact) => contact.id)).size).toBe(1)
  })

  it('keep `updated` when nothing changes', async () => {
    const first = await contacts.add(id, { email: 'ada@example.com', first_name: 'Ada' })
    await parts.clock.advance(1000)
    expect(await contacts.add(id, { email: 'ada@example.com', first_name: 'Ada' })).toEqual(first)
    expect(await contacts.update(id, first.id, {})).toEqual(first)
  })

  it('may have the same email in two audiences', async () => {
    const other = await audiences.create({ name: 'Others' })
    const here = await contacts.add(id, { email: 'ada@example.com' })
    const there = await contacts.add(other.id, { email: 'ada@example.com' })
    expect(there.id).not.toBe(here.id)
    await expect(contacts.get(other.id, here.id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(contacts.update(other.id, here.id, {})).rejects.toMatchObject({ code: 'not_found' })
    await expect(contacts.remove(other.id, here.id)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('change, and are removed', async () => {
    const ada = await contacts.add(id, { email: 'ada@example.com', first_name: 'Ada' })
    await parts.clock.advance(1000)
    const changes = { first_name: null, last_name: 'L', is_subscribed: false }
    expect(await contacts.update(id, ada.id, changes)).toEqual({
      ...ada,
      ...changes,
      updated: ada.updated + 1000,
    })
    await contacts.remove(id, ada.id)
    await expect(contacts.get(id, ada.id)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining(ada.id),
    })
  })

  it.each([
    [{ email: 'ada' }, 'email'],
    [{ email: 42 }, 'email'],
    [{}, 'email'],
    [{ email: 'ada@example.com', first_name: 5 }, 'first_name'],
    [{ email: 'ada@example.com', is_subscribed: 'yes' }, 'is_subscribed'],
    ['ada@example.com', 'body'],
  ])('refuse %j because of %s', async (input, field) => {
    await expect(Reflect.apply(contacts.add, undefined, [id, input])).rejects.toMatchObject({
      code: 'validation_error',
      errors: [{ field }],
    })
  })

  it('are listed by email, case-folded, and a page continues after a removed contact', async () => {
    const emails = [
      'b@example.com',
      'A@example.com',
      'D@example.com',
      'c@example.com',
      'e@example.com',
      'F@example.com',
    ]
    for (const email of emails) await contacts.add(id, { email })
    await contacts.add((await audiences.create({ name: 'Others' })).id, { email: 'a1@example.com' })
    const all = await readAll((query) => contacts.list(id, query))
    expect(all).toMatchObject({ pages: 2, count: 6 })
    expect(all.items.map(({ email }) => email[0])).toEqual(['A', 'b', 'c', 'D', 'e', 'F'])
    const first = await contacts.list(id, { limit: 4 })
    expect(first.cursor).toBe('D@example.com')
    await contacts.remove(id, first.items[3]?.id ?? '')
    for (const cursor of ['D@example.com', 'd@EXAMPLE.com']) {
      const rest = await contacts.list(id, { cursor })
      expect(rest.items.map(({ email }) => email[0])).toEqual(['e', 'F'])
    }
  })

  it.each(['x', 'con_0123456789abcdefghjkmn', 'a b@example.com'])('refuse the cursor %j', async (cursor) => {
    await expect(contacts.list(id, { cursor })).rejects.toMatchObject({ code: 'invalid_cursor' })
  })
})
