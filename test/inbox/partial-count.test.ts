import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { startShared } from '../support/instance.ts'

// A search that need not count all matches may end as soon as its page is full.

let post: Localpost
let end: () => Promise<void>
const mails = 1400
beforeAll(async () => {
  ;({ post, end } = await startShared())
  // More text than two blocks of the index hold.
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(40)
  for (let n = 0; n < mails; n += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, at) => {
        const subject = `Mail ${n + at}.${(n + at) % 3 === 0 ? ' third' : ''}`
        return post.inbox.import(Buffer.from(`From: bob@acme.test\r\nSubject: ${subject}\r\n\r\n${text}\r\n`))
      }),
    )
  // Some rows of the index have no mail any more.
  const { items } = await post.inbox.list({ query: 'third', limit: 3, offset: 20 })
  await post.inbox.removeMatching({ ids: items.map(({ id }) => id) })
}, 60_000)
afterAll(() => end())

/**
 * Queries of each kind, and whether the search ends early. Null: it may, but subjects and addresses of so few mails may be
 * searched at once.
 */
const queries: Readonly<Record<string, boolean | null>> = {
  mail: true,
  'subject:mail': null,
  'subject:mail quick': true,
  '"quick brown fox"': true,
  'quick is:unread': true,
  '-nowhere': true,
  'from:bob -"no such"': true,
  'header:subject=mail': true,
  third: true,
  'subject:third is:unread': null,
  '"mail 777."': false,
  'subject:"mail 777."': false,
  nowhere: false,
  'subject:nowhere': false,
  'quick tag:none': false,
  // The store counts these without looking at mail.
  '': false,
  'is:unread': false,
}

describe('a search with count=page', () => {
  it.each(Object.entries(queries))('finds the same mails on each page: %s', async (query, endsEarly) => {
    const all = await post.inbox.list({ query, limit: 500 })
    expect(all).not.toHaveProperty('at_least')
    for (const place of [
      {},
      { offset: 3 },
      { offset: 40 },
      ...all.items.slice(4, 5).map(({ id }) => ({ cursor: id })),
    ]) {
      const whole = await post.inbox.list({ query, limit: 5, ...place })
      const page = await post.inbox.list({ query, limit: 5, count: 'page', ...place })
      expect(page.items.map(({ id }) => id)).toEqual(whole.items.map(({ id }) => id))
      expect(page.cursor).toBe(whole.cursor)
      if (page.at_least) {
        expect(page.cursor).not.toBeNull()
        expect(page.count).toBeLessThanOrEqual(whole.count)
        expect(page.count).toBeGreaterThan(page.items.length)
      } else expect(page.count).toBe(whole.count)
      if (endsEarly !== null) expect(page.at_least ?? false).toBe(endsEarly)
    }
  })

  it('says over HTTP that there may be more, and refuses other values', async () => {
    const { url } = await post.listen()
    const ask = async (count: string): Promise<{ status: number; answer: Record<string, unknown> }> => {
      const response = await fetch(`${url}/dev/inbox?query=quick&limit=5&count=${count}`)
      return { status: response.status, answer: (await response.json()) as Record<string, unknown> }
    }
    const page = await ask('page')
    expect(page).toMatchObject({ status: 200, answer: { at_least: true } })
    const all = await ask('all')
    expect(all.answer).not.toHaveProperty('at_least')
    expect(all.answer.count).toBe(mails - 3)
    expect(page.answer.emails).toEqual(all.answer.emails)
    expect(await ask('some')).toMatchObject({ status: 422, answer: { name: 'validation_error' } })
    await expect(post.inbox.list({ count: 'some' as 'all' })).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('"all" or "page"') as unknown,
    })
  })
})
