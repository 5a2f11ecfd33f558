import { describe, expect, it } from 'vitest'
import { hasPart, replacePart, tagPart, togglePart } from '../../ui/views/inbox/query-filters.ts'
import { withNextTag } from '../../ui/views/inbox/next-tag.ts'
import { start } from '../support/instance.ts'

describe('parts of a search as filters', () => {
  it('are added at the end and removed wherever they are, and leave the rest as typed', () => {
    expect(togglePart('', 'is:unread')).toBe('is:unread')
    expect(togglePart('"two words" -tag:a', 'is:unread')).toBe('"two words" -tag:a is:unread')
    expect(togglePart('a IS:Unread "b c"', 'is:unread')).toBe('a "b c"')
    expect(togglePart('tag:"due soon" x', tagPart('due soon'))).toBe('x')
    expect(togglePart('source:api x', 'source:smtp', true)).toBe('x source:smtp')
    expect(togglePart('tag:a', 'tag:b')).toBe('tag:a tag:b')
  })

  it('keep the quotation marks and backslashes of a tag', () => {
    const odd = 'so "called" \\'
    expect(tagPart(odd)).toBe('tag:"so \\"called\\" \\\\"')
    expect(togglePart(togglePart('a', tagPart(odd)), 'b')).toBe(`a ${tagPart(odd)} b`)
    expect(togglePart(`a ${tagPart(odd)} b`, tagPart(odd))).toBe('a b')
    expect(tagPart('back\\slash')).toBe('tag:back\\slash')
  })

  it('are replaced where they are', () => {
    expect(replacePart('a TAG:old "b c"', tagPart('old'), tagPart('due soon'))).toBe('a tag:"due soon" "b c"')
    expect(replacePart('a  b', 'tag:old', 'tag:new')).toBe('a  b')
  })

  it('are on only as whole parts', () => {
    expect(hasPart('-is:unread', 'is:unread')).toBe(false)
    expect(hasPart('"is:unread"', 'is:unread')).toBe(false)
    expect(hasPart('tag:"due soon"', tagPart('due soon'))).toBe(true)
    expect(hasPart('tag:invoices', tagPart('invoice'))).toBe(false)
  })
})

it('goes through the tags one by one, and then to a search without them', () => {
  const tags = [{ tag: 'orders' }, { tag: 'due soon' }]
  expect(withNextTag('is:unread', [])).toBe('is:unread')
  const searches = ['is:unread']
  for (let i = 0; i < 3; i++) searches.push(withNextTag(searches[i] ?? '', tags))
  expect(searches).toEqual(['is:unread', 'is:unread tag:orders', 'is:unread tag:"due soon"', 'is:unread'])
})

it('finds mail by each tag, whatever characters it has, and no other mail', async () => {
  const post = await start()
  const found = new Map<string, string>()
  for (const tag of [
    'a" is:unread "b',
    'so "called"',
    'back\\',
    'two \\" words \\',
    '"',
    '-minus',
    'tag:x',
    'größe 1',
  ]) {
    const { id } = await post.inbox.import(Buffer.from('Subject: x\r\n\r\nbody'))
    await post.inbox.update(id, { tags: [tag] })
    found.set(tag, id)
  }
  for (const [tag, id] of found) {
    const { items } = await post.inbox.list({ query: tagPart(tag) })
    expect(
      items.map((mail) => mail.id),
      tag,
    ).toEqual([id])
  }
})
