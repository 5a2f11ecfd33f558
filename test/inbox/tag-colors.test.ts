import { describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { lastingPlace } from '../support/adapters.ts'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'

/** Asks the control API in process, as a page on this machine does. */
async function ask(
  post: Localpost,
  body?: unknown,
  query = '',
): Promise<{ status: number; answer: unknown }> {
  const init = body === undefined ? {} : { method: 'PATCH', body: JSON.stringify(body) }
  const headers = { 'content-type': 'application/json' }
  const response = await post.fetch(
    new Request(`http://localhost/dev/inbox/tags${query}`, { headers, ...init }),
  )
  return { status: response.status, answer: await response.json() }
}

const tagged = (post: Pick<Localpost, 'smtp'>, tags: string): Promise<string> =>
  submit(post, { subject: tags, text: 'x', headers: { 'X-Tags': tags } })

describe('the colour of a tag', () => {
  it('is chosen in any case of its letters, changed, and given up', async () => {
    const post = await start()
    await tagged(post, 'Invoice, due soon')
    expect(await post.inbox.updateTag('INVOICE', { color: 'red' })).toEqual({
      tag: 'invoice',
      count: 1,
      color: 'red',
    })
    expect(await post.inbox.tags()).toEqual([
      { tag: 'due soon', count: 1 },
      { tag: 'invoice', count: 1, color: 'red' },
    ])
    await post.inbox.updateTag('invoice', { color: 'red' })
    await post.inbox.updateTag('invoice', { color: 'teal' })
    expect((await post.inbox.tags())[1]).toEqual({ tag: 'invoice', count: 1, color: 'teal' })
    for (let round = 0; round < 2; round++)
      expect(await post.inbox.updateTag('invoice', { color: null })).toEqual({ tag: 'invoice', count: 1 })
    expect(await post.inbox.tags()).toEqual([
      { tag: 'due soon', count: 1 },
      { tag: 'invoice', count: 1 },
    ])
  })

  it('is set and listed over HTTP too, for any tag that a mail can have', async () => {
    const post = await start()
    for (const tag of ['..', 'a/b', 'say "hi"', '50% off', 'é 🎉'])
      expect(await ask(post, { tag, color: 'blue' }), tag).toEqual({
        status: 200,
        answer: { tag, count: 0, color: 'blue' },
      })
    await ask(post, { tag: 'a/b', color: null })
    expect((await ask(post)).answer).toEqual({ tags: await post.inbox.tags() })
    expect((await post.inbox.tags()).map(({ tag }) => tag)).toEqual(['..', '50% off', 'say "hi"', 'é 🎉'])
  })

  it('stays when no mail has the tag any more, and is listed after all others', async () => {
    const post = await start()
    await tagged(post, 'a first, later')
    await post.inbox.updateTag('a first', { color: 'pink' })
    await post.inbox.removeAll()
    expect(await post.inbox.tags()).toEqual([{ tag: 'a first', count: 0, color: 'pink' }])
    await tagged(post, 'later')
    expect(await post.inbox.tags()).toEqual([
      { tag: 'later', count: 1 },
      { tag: 'a first', count: 0, color: 'pink' },
    ])
  })

  it('is refused with the value and what is allowed, and nothing changes', async () => {
    const post = await start()
    const refused: [tag: unknown, changes: unknown, field: string, message: string][] = [
      ['ok', { color: 'orange' }, 'color', 'must be one of "gray", "red"'],
      ['ok', { color: 'orange' }, 'color', '"pink", or null'],
      ['ok', { color: 'orange' }, 'color', 'not "orange"'],
      ['ok', {}, 'color', 'is missing'],
      ['ok', { color: 'red', colour: 'red' }, 'body', 'has unknown members: colour'],
      ['ok', null, 'body', 'must be an object'],
      ['x'.repeat(101), { color: 'red' }, 'tag', '100 characters'],
      ['x'.repeat(101), { color: 'red' }, 'tag', '"xxx'],
      ['', { color: 'red' }, 'tag', 'must be 1 to 100 characters'],
      [' ', { color: 'red' }, 'tag', 'not " "'],
      ['a,b', { color: 'red' }, 'tag', 'without commas and control characters, not "a,b"'],
      ['a\nb', { color: 'red' }, 'tag', 'control characters'],
      [7, { color: 'red' }, 'tag', 'not 7'],
    ]
    for (const [tag, changes, field, message] of refused)
      await expect(post.inbox.updateTag(tag as never, changes as never)).rejects.toMatchObject({
        code: 'validation_error',
        errors: [{ field, message: expect.stringContaining(message) }],
      })
    const over = [
      { tag: 'ok', color: 'orange' },
      { tag: 'x'.repeat(101), color: 'red' },
      { tag: 'a,b', color: 'red' },
      { tag: '', color: 'red' },
      { color: 'red' },
      { tag: 'ok' },
    ]
    for (const body of over) expect((await ask(post, body)).status, JSON.stringify(body)).toBe(422)
    expect(await post.inbox.tags()).toEqual([])
  })

  it('is kept over a restart', async () => {
    const place = lastingPlace()
    const before = await start(place)
    await tagged(before, 'invoice, paid')
    await before.inbox.updateTag('invoice', { color: 'violet' })
    await before.inbox.updateTag('paid', { color: 'green' })
    await before.inbox.updateTag('paid', { color: null })
    await before.close()
    const post = await start(place)
    expect(await post.inbox.tags()).toEqual([
      { tag: 'invoice', count: 1, color: 'violet' },
      { tag: 'paid', count: 1 },
    ])
  })

  it('belongs to one account', async () => {
    const post = await start()
    await post.accounts.create({ name: 'team' })
    await post.inbox.updateTag('invoice', { color: 'red' })
    const team = post.account('team').inbox
    expect(await team.tags()).toEqual([])
    expect((await ask(post, { tag: 'invoice', color: 'blue' }, '?account=team')).status).toBe(200)
    expect(await team.tags()).toEqual([{ tag: 'invoice', count: 0, color: 'blue' }])
    expect(await post.inbox.tags()).toEqual([{ tag: 'invoice', count: 0, color: 'red' }])
  })

  it('is removed or kept together with the mail in a reset', async () => {
    const post = await start()
    await post.inbox.updateTag('invoice', { color: 'red' })
    await post.reset({ keep: ['emails'] })
    expect(await post.inbox.tags()).toEqual([{ tag: 'invoice', count: 0, color: 'red' }])
    await post.reset()
    expect(await post.inbox.tags()).toEqual([])
  })

  it('is kept for the last 1,000 tags that got one', async () => {
    const post = await start()
    for (const tag of ['t0', 't1', 't2']) await post.inbox.updateTag(tag, { color: 'red' })
    await Promise.all(
      Array.from({ length: 997 }, async (_, n) => post.inbox.updateTag(`t${n + 3}`, { color: 'red' })),
    )
    // Another colour of a tag that has one forgets none.
    await post.inbox.updateTag('t999', { color: 'blue' })
    expect(await post.inbox.tags()).toHaveLength(1000)
    await Promise.all(['new', 'newer', 'NEW'].map((tag) => post.inbox.updateTag(tag, { color: 'blue' })))
    const left = new Set((await post.inbox.tags()).map(({ tag }) => tag))
    expect(left.size).toBe(1000)
    expect(['t0', 't1', 't2', 'new', 'newer'].map((tag) => left.has(tag))).toEqual([
      false,
      false,
      true,
      true,
      true,
    ])
  })
})
