import { expect, it } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { start } from '../support/instance.ts'

/** The long variant has 40 mails of 39 MB, the usual one fewer and smaller ones. */
const isLong = process.env['LOCALPOST_HOSTILE'] !== undefined
const mails = isLong ? 40 : 12
const size = isLong ? 39_000_000 : 4_000_000
const maxGrowthMib = isLong ? 400 : 150

const head = (n: number): Buffer =>
  Buffer.from(`From: eve@x.test\r\nTo: ada@example.com\r\nSubject: large ${n}\r\n\r\nbody of ${n}\r\n`)

/** A search waits for five seconds at most, and the machine may be slow: it is repeated until all mail was read. */
async function searched(post: Localpost, query: string): ReturnType<Localpost['inbox']['list']> {
  const page = await post.inbox.list({ query })
  return page.unread_texts === undefined ? page : searched(post, query)
}

it('a list, a search and a wait over many large unparsed mails are correct and need little memory', async () => {
  const post = await start()
  const message = Buffer.alloc(size, 'A line of text that is nobody’s.\r\n')
  for (let n = 0; n < mails; n++) {
    head(n).copy(message)
    await post.inbox.import(message)
  }
  // A store in memory holds the messages themselves.
  const before = process.memoryUsage().rss
  const [list, found, waited] = await Promise.all([
    post.inbox.list({ limit: mails }),
    searched(post, 'body of 3'),
    post.inbox.waitFor({ subject: `large ${mails - 1}` }, { timeoutMs: 60_000 }),
  ])
  expect(list.count).toBe(mails)
  expect(list.items.map(({ snippet }) => snippet.slice(0, 9))).toEqual(
    Array.from({ length: mails }, (_, i) => `body of ${mails - 1 - i}`.slice(0, 9)),
  )
  expect(found.items.map(({ subject }) => subject)).toContain('large 3')
  expect(waited.problem?.startsWith('Only the beginning is searched:')).toBe(size <= 8 * 1024 * 1024)
  expect((process.memoryUsage().rss - before) / 1024 ** 2).toBeLessThan(maxGrowthMib)
}, 300_000)
