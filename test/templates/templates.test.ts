import { beforeEach, describe, expect, it } from 'vitest'
import { templateSchema, templateVersionSchema } from '../../src/templates/schema.ts'
import { createTemplates, type TemplatesForSending } from '../../src/templates/templates.ts'
import type { TemplateInput } from '../../src/templates/types.ts'
import { templateVersionCollection } from '../../src/templates/versions.ts'
import { start } from '../support/instance.ts'
import { openParts, readAll, type Parts } from '../support/deps.ts'

let parts: Parts
let templates: TemplatesForSending

beforeEach(async () => {
  parts = await openParts()
  templates = createTemplates(parts)
})

it('a preview of a template contains nothing that makes a browser connect', async () => {
  const post = await start()
  const html = '<p>Hi</p><link rel=preconnect href="//x.test"><script>1</script><a href=x>x</a>'
  const request = (body: object): Request =>
    new Request('http://localpost/dev/templates/preview', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const answer = await post.fetch(request({ html }))
  const body = '<p>Hi</p><a href="about:invalid">x</a>'
  expect(await answer.json()).toEqual({ html: `<html><head></head><body>${body}</body></html>` })
  expect((await post.fetch(request({ html: 1 }))).status).toBe(422)
  expect((await post.fetch(request({ html: 'x'.repeat(4_000_001) }))).status).toBe(422)
})

describe('templates', () => {
  it('are stored under the id that the caller chose', async () => {
    const now = parts.clock.now()
    const template = await templates.put('welcome.v1', { subject: 'Hi {{name}}', html: '<p>Hi</p>' })
    expect(template).toEqual({
      id: 'welcome.v1',
      subject: 'Hi {{name}}',
      html: '<p>Hi</p>',
      text: null,
      engine: 'placeholders',
      name: null,
      created: now,
      updated: now,
    })
    expect(await templates.get('welcome.v1')).toEqual(template)
    expect(await templates.find('welcome.v1')).toEqual({
      subject: 'Hi {{name}}',
      html: '<p>Hi</p>',
      text: null,
      engine: 'placeholders',
    })
    expect(await templates.find('other')).toBeNull()
    expect(templateSchema.parse(template)).toEqual(template)
  })

  it('are replaced as a whole and keep their creation time', async () => {
    const { created } = await templates.put('welcome', { subject: 'Hi', html: '<p>Hi</p>' })
    await parts.clock.advance(1000)
    expect(await templates.put('welcome', { text: 'Hi' })).toEqual({
      id: 'welcome',
      subject: null,
      html: null,
      text: 'Hi',
      engine: 'placeholders',
      name: null,
      created,
      updated: created + 1000,
    })
  })

  it('can be put many times at the same time', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, i) => templates.put('welcome', { text: `${i}` })))
    expect((await templates.list()).count).toBe(1)
  })

  it.each(['', '.', '..', 'a b', 'a/b', 'ä', 'x'.repeat(129), 'a\n'])('refuse the id %j', async (id) => {
    await expect(templates.put(id, { text: 'Hi' })).rejects.toMatchObject({
      code: 'validation_error',
      errors: [{ field: 'id' }],
    })
  })

  it.each([
    [{}, 'body'],
    [{ subject: '', html: null, text: '' }, 'body'],
    [{ html: 5 }, 'html'],
    [{ subject: 'a\r\nBcc: x@y.test', text: 'x' }, 'subject'],
    [{ html: 'ä'.repeat(500_001) }, 'html'],
    [{ text: 'x'.repeat(1_000_001) }, 'text'],
  ])('refuse content with the reason', async (input, field) => {
    await expect(Reflect.apply(templates.put, undefined, ['welcome', input])).rejects.toMatchObject({
      code: 'validation_error',
      errors: [{ field }],
    })
  })

  it('keep what they were before each change, newest first, and only the last 20', async () => {
    await templates.put('other', { text: 'other' })
    for (let n = 0; n < 25; n++) {
      await templates.put('welcome', { subject: `${n}`, text: 'Hi' })
      await parts.clock.advance(1000)
      // The same again is no change.
      if (n === 3) await templates.put('welcome', { subject: `${n}`, text: 'Hi' })
    }
    const { items, ...page } = await templates.versions('welcome')
    expect(page).toEqual({ count: 20, cursor: null })
    expect(items.map(({ subject }) => Number(subject))).toEqual(
      Array.from({ length: 20 }, (_, at) => 23 - at),
    )
    expect(templateVersionSchema.parse(items[0])).toEqual(items[0])
    expect(items[0]).toMatchObject({ html: null, text: 'Hi', updated: parts.clock.now() - 2000 })
    expect(await templates.versions('other')).toEqual({ items: [], count: 0, cursor: null })
  })

  it('keep versions of at most 4 MB in all, and none that is larger', async () => {
    for (const n of [1, 2, 3, 4])
      await templates.put('long', { html: `${n}`.repeat(999_000), text: `${n}`.repeat(500_000) })
    const kept = (await templates.versions('long')).items
    expect(kept.map(({ html }) => html?.[0])).toEqual(['3', '2'])
    await templates.put('long', { text: '\0'.repeat(900_000) })
    await templates.put('long', { text: 'short' })
    expect((await templates.versions('long')).items).toEqual([])
  })

  it('can be restored, and what that replaces is a version', async () => {
    const { created } = await templates.put('welcome', { subject: 'Hi', html: '<p>1</p>' })
    await templates.put('welcome', { html: '\ud800 2' })
    const [first] = (await templates.versions('welcome')).items
    await parts.clock.advance(1000)
    expect(await templates.restore('welcome', first?.id ?? '')).toEqual({
      id: 'welcome',
      subject: 'Hi',
      html: '<p>1</p>',
      text: null,
      engine: 'placeholders',
      name: null,
      created,
      updated: created + 1000,
    })
    const { items } = await templates.versions('welcome')
    expect(items.map(({ html }) => html)).toEqual(['\ud800 2', '<p>1</p>'])
    await templates.put('other', { text: 'x' })
    for (const [id, version] of [
      ['other', items[0]?.id ?? ''],
      ['welcome', 'tv_none'],
      ['none', items[0]?.id ?? ''],
    ] as const)
      await expect(templates.restore(id, version)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('are removed with their versions', async () => {
    await templates.put('welcome', { text: '1' })
    await Promise.all([1, 2, 3].map((n) => templates.put('welcome', { text: `after ${n}` })))
    await templates.remove('welcome')
    expect(await parts.store.count(templateVersionCollection)).toBe(0)
    await templates.put('welcome', { text: 'new' })
    expect((await templates.versions('welcome')).items).toEqual([])
  })

  it('may be 1 MB long', async () => {
    await templates.put('long', { html: 'x'.repeat(1_000_000), text: 'ä'.repeat(500_000) })
  })

  it('are listed by id, and a page continues after a removed template', async () => {
    for (const id of ['e', 'b', 'a', 'd', 'c']) await templates.put(id, { text: id })
    const all = await readAll(templates.list)
    expect(all).toMatchObject({ pages: 2, count: 5 })
    expect(all.items.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd', 'e'])
    await templates.remove('c')
    expect((await templates.list({ cursor: 'c' })).items.map(({ id }) => id)).toEqual(['d', 'e'])
    await expect(templates.list({ cursor: 'a b' })).rejects.toMatchObject({ code: 'invalid_cursor' })
  })

  it('refuse metadata with a name that would get lost', async () => {
    const post = await start()
    const body = '{"html":"x","metadata":{"order":"17","__proto__":"lost"}}'
    const url = 'http://localpost/dev/templates/hello'
    const headers = { 'content-type': 'application/json' }
    const answer = await post.fetch(new Request(url, { method: 'PUT', headers, body }))
    expect([answer.status, await answer.json()]).toMatchObject([
      422,
      { errors: [{ field: 'metadata', message: 'must not have the name "__proto__"' }] },
    ])
    const input = JSON.parse(body) as TemplateInput
    await expect(post.templates.put('hello', input)).rejects.toMatchObject({ code: 'validation_error' })
    const kept = await post.templates.put('hello', { html: 'x', metadata: { constructor: 'kept' } })
    expect(kept.metadata).toEqual({ constructor: 'kept' })
  })

  it('are not found where the id is unknown', async () => {
    for (const call of [templates.get, templates.remove, templates.versions]) {
      await expect(call('other')).rejects.toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('other'),
      })
    }
  })
})
