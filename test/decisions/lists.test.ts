import { describe, expect, it } from 'vitest'
import { sleep } from '../../src/core/machine.ts'
import { open, refusalOf, shared, walk, type Face, type List } from './helpers.ts'

type Item = { id: string; name: string; email: string; subject: string; created: number }
type Page = List & Record<'emails' | 'domains' | 'audiences' | 'contacts', Item[]>
type ListName = 'emails' | 'domains' | 'audiences' | 'contacts'

const names: ListName[] = ['emails', 'domains', 'audiences', 'contacts']
const after = (cursor: string | null | undefined): string => `?cursor=${encodeURIComponent(cursor ?? '')}`

/** Five items of one kind; the contacts' order of arrival is not that of the alphabet. */
async function fill(face: Face, name: ListName): Promise<void> {
  // Domains are added by mail: generating a key for each would take long.
  if (name === 'emails') for (let i = 1; i <= 5; i++) await face.send({ subject: `mail ${i}` })
  if (name === 'domains') for (let i = 1; i <= 5; i++) await face.send({ from: `hi@d${i}.test` })
  if (name === 'audiences')
    for (let i = 1; i <= 5; i++) await face.post.audiences.create({ name: `audience ${i}` })
  if (name === 'contacts') {
    const { id } = await face.post.audiences.create({ name: 'all' })
    const emails = ['delta@x.test', 'Bravo@x.test', 'alpha@x.test', 'Echo@x.test', 'charlie@x.test']
    await face.create(
      `/dev/audiences/${id}/contacts`,
      emails.map((email) => ({ email })),
    )
  }
  // A delivery during a test would change what lists show of an email.
  if (name === 'emails' || name === 'domains') await allDelivered(face)
}

async function allDelivered({ post }: Face): Promise<void> {
  while ((await post.inbox.list({ query: '-status:delivered' })).count > 0) await sleep(20)
}

async function pathOf(face: Face, name: ListName, under: 'v1' | 'dev' = 'v1'): Promise<string> {
  if (name === 'emails' && under === 'dev') return '/dev/inbox'
  if (name !== 'contacts') return `/${under}/${name}`
  const { items } = await face.post.audiences.list()
  return `/${under}/audiences/${items[0]?.id}/contacts`
}

async function pageOf(face: Face, name: ListName, query = ''): Promise<Page> {
  return face.get<Page>((await pathOf(face, name)) + query)
}

async function remove(face: Face, name: ListName, item: Item | undefined): Promise<void> {
  const response = await face.call('DELETE', `${await pathOf(face, name, 'dev')}/${item?.id}`)
  expect(response.status).toBe(200)
}

describe.each(names)('the list of %s', (name) => {
  const face = shared({ pageSize: 2 }, (opened) => fill(opened, name))

  it('lists.cursor-parameter: the parameter `cursor` continues every list, without gaps and repetitions', async () => {
    const pages = await walk<Page>(face(), await pathOf(face(), name))
    const ids = pages.flatMap((page) => page[name].map(({ id }) => id))
    expect(pages.map((page) => page[name].length)).toEqual([2, 2, 1])
    expect(new Set(ids).size).toBe(5)
  })

  it('lists.cursor-value: it is the id of the last item (contacts: its email), and null on the last page', async () => {
    const pages = await walk<Page>(face(), await pathOf(face(), name))
    for (const page of pages) {
      const last = page[name].at(-1)
      const isLastPage = page === pages.at(-1)
      expect(Object.keys(page).sort()).toEqual(['count', 'cursor', name].sort())
      expect(page.cursor).toBe(isLastPage ? null : name === 'contacts' ? last?.email : last?.id)
    }
  })

  it.each(['', 'null'])('lists.cursor-empty: the cursor "%s" asks for the first page', async (cursor) => {
    const first = await pageOf(face(), name)
    expect(first[name]).toHaveLength(2)
    expect(await pageOf(face(), name, after(cursor))).toEqual(first)
  })

  it('lists.cursor-invalid: a cursor that does not have the form of this list is 422 invalid_cursor', async () => {
    const body = '0123456789abcdefghjkmn'
    const foreign = {
      emails: `em_${body}`,
      domains: `dom_${body}`,
      audiences: `aud_${body}`,
      contacts: 'ada@x.test',
    }
    const path = await pathOf(face(), name)
    for (const [other, cursor] of Object.entries(foreign)) {
      const { status } = await face().call('GET', path + after(cursor))
      expect(status, cursor).toBe(other === name ? 200 : 422)
    }
    for (const cursor of ['nonsense', '1', '0', 'em_', 'undefined', '../x', 'a@b@c', ' ', `em_${body}0`]) {
      const answer = await refusalOf(await face().call('GET', path + after(cursor)))
      expect(answer, cursor).toMatchObject({ status: 422, name: 'invalid_cursor' })
    }
  })

  it('lists.count: it counts the whole collection, the same on every page', async () => {
    const pages = await walk<Page>(face(), await pathOf(face(), name))
    expect(pages.map(({ count }) => count)).toEqual([5, 5, 5])
  })

  it('lists.page-size: no query parameter changes it', async () => {
    for (const query of [
      'limit=5',
      'page_size=5',
      'pageSize=5',
      'per_page=5',
      'count=5',
      'size=1',
      'limit=1',
    ]) {
      expect((await pageOf(face(), name, `?${query}`))[name], query).toHaveLength(2)
    }
  })

  it('lists.cursor-gone: a page begins at the first item after the cursor, even where that item was removed', async () => {
    // Its own, since it removes items.
    const face = await open({ pageSize: 2 })
    await fill(face, name)
    const { cursor, [name]: first } = await pageOf(face, name)
    const expected = await pageOf(face, name, after(cursor))
    await remove(face, name, first[1])
    expect(await pageOf(face, name, after(cursor))).toEqual({ ...expected, count: 4 })
    await remove(face, name, expected[name][0])
    expect((await pageOf(face, name, after(cursor)))[name][0]).toEqual(expected[name][1])
    await remove(face, name, first[0])
    // The rest fills exactly one page: it is the last.
    expect(await pageOf(face, name)).toMatchObject({ count: 2, cursor: null })
  })
})

it('lists.page-size: it is 50 in every list', async () => {
  const face = await open()
  const { id } = await face.post.audiences.create({ name: 'all' })
  await face.post.audiences.contacts.import(
    id,
    Array.from({ length: 51 }, (_, i) => ({ email: `c${i}@x.test` })),
  )
  for (let i = 0; i < 51; i++) await face.send({ from: `hi@d${i}.test` })
  for (let i = 0; i < 50; i++) await face.post.audiences.create({ name: `a${i}` })
  for (const name of names) {
    const path = name === 'contacts' ? `/v1/audiences/${id}/contacts` : `/v1/${name}`
    const first = await face.get<Page>(path)
    expect(first, name).toMatchObject({ count: 51, cursor: expect.any(String) })
    expect(first[name], name).toHaveLength(50)
    const second = await face.get<Page>(path + after(first.cursor))
    expect(second[name], name).toHaveLength(1)
    expect(second.cursor, name).toBeNull()
  }
})

it('lists.order: emails, domains and audiences come newest first, also within a millisecond', async () => {
  const clock = { now: () => 1_767_323_045_000, after: () => () => undefined }
  const face = await open({ clock })
  for (let i = 1; i <= 4; i++) {
    await face.send({ subject: `mail ${i}` })
    await face.create('/v1/domains', { name: `d${i}.test` })
    await face.create('/dev/audiences', { name: `audience ${i}` })
  }
  await face.submit({ from: 'hi@acme.test', to: 'ada@x.test', subject: 'mail 5', text: 'submitted' })
  const { emails } = await face.get<Page>('/v1/emails')
  const { domains } = await face.get<Page>('/v1/domains')
  const { audiences } = await face.get<Page>('/v1/audiences')
  expect(emails.map(({ subject }) => subject)).toEqual(['mail 5', 'mail 4', 'mail 3', 'mail 2', 'mail 1'])
  expect(domains.map(({ name }) => name)).toEqual(['d4.test', 'd3.test', 'd2.test', 'd1.test', 'acme.test'])
  expect(audiences.map(({ name }) => name)).toEqual(['audience 4', 'audience 3', 'audience 2', 'audience 1'])
  for (const items of [domains, audiences]) expect(new Set(items.map(({ created }) => created)).size).toBe(1)
})

it('lists.order: contacts are ordered by email, ascending, without regard to case', async () => {
  const face = await open({ pageSize: 2 })
  await fill(face, 'contacts')
  const pages = await walk<Page>(face, await pathOf(face, 'contacts'))
  expect(pages.flatMap(({ contacts }) => contacts.map(({ email }) => email))).toEqual([
    'alpha@x.test',
    'Bravo@x.test',
    'charlie@x.test',
    'delta@x.test',
    'Echo@x.test',
  ])
  // The cursor is folded as well.
  const shouted = await pageOf(face, 'contacts', after('BRAVO@X.TEST'))
  expect(shouted.contacts.map(({ email }) => email)).toEqual(['charlie@x.test', 'delta@x.test'])
})

describe('searches', () => {
  const countOf = async ({ post }: Face, query: string): Promise<number> =>
    (await post.inbox.list({ query })).count

  it('lists.search-letters: spellings of one text are found by each other, with accents and tags as they are', async () => {
    const face = await open()
    await face.send({
      subject: 'Stra\u00dfe Cafe\u0301 \u0130stanbul \uff21\ufb01 code\u00adword',
      to: 'ada+Zoe\u0308@x.test',
    })
    for (const query of ['strasse', 'CAF\u00c9', 'istanbul', 'afi', 'codeword', 'tag:ZO\u00cb'])
      expect(await countOf(face, query), query).toBe(1)
    for (const query of ['cafes', '"cafe "', 'tag:zoe']) expect(await countOf(face, query), query).toBe(0)
    expect(await face.post.inbox.waitFor({ subject: /Stra\u00dfe/ })).toBeDefined()
    await face.post.inbox.expectNone({ subject: /Strasse/ }, { timeoutMs: 0 })
  })

  it('lists.search-names: names of To, Cc and Bcc are found, but not by a whole address', async () => {
    const face = await open()
    await face.send({
      to: '"Doe, Jane" <a@x.test>',
      cc: '"b@y.test" <b@x.test>',
      bcc: 'Quiet Reader <c@x.test>',
    })
    for (const query of ['to:doe', 'doe', 'to:quiet', 'cc:b@y.test'])
      expect(await countOf(face, query), query).toBe(1)
    expect(await countOf(face, 'cc:doe')).toBe(0)
    await face.post.inbox.expectNone({ cc: 'b@y.test' }, { timeoutMs: 0 })
  })
})
