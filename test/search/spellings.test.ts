import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { assertSent, startForTest } from '../../src/testing/index.ts'

/** One mailbox, in each spelling that it may have in a mail: accents as one character or two, the domain in A-labels. */
const spellings = ['NFC', 'NFD'].flatMap((form) =>
  ['josé@bücher.example', 'josé@xn--bcher-kva.example'].map((one) => one.normalize(form)),
)
const parts = spellings.flatMap((one) => [one, `Ada <${one}>`])
const pieces = ['josé', 'josé@', '@bücher.example', 'bücher.example'].flatMap((one) => [
  one.normalize('NFC'),
  one.normalize('NFD'),
])

let post: Localpost
beforeAll(async () => {
  post = await startForTest()
  for (const one of spellings)
    await post.inbox.import(
      Buffer.from(`From: ${one}\r\nTo: ${one}\r\nCc: ${one}\r\nSubject: Hi\r\n\r\nHello`),
    )
  await post.emails.send({ from: 'hi@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'Hello' })
  await post.inbox.waitForCount(undefined, spellings.length + 1, { timeoutMs: 10_000 })
})
afterAll(() => post.close())

describe.each(['to', 'cc', 'from'] as const)('%s', (name) => {
  it.each([...new Set([...parts, ...pieces])])(
    'finds the mailbox in every spelling by %j',
    async (wanted) => {
      const count = spellings.length
      const { items } = await post.inbox.list({ query: `${name}:"${wanted.replace(/^Ada <|>$/g, '')}"` })
      expect(items).toHaveLength(count)
      expect(await post.inbox.waitForCount({ [name]: wanted }, count)).toHaveLength(count)
      await assertSent(post, { [name]: wanted, count })
    },
  )
})

it('domain: finds the sender’s domain in every spelling', async () => {
  for (const wanted of ['bücher.example', 'bu\u0308cher.example', 'BÜCHER.example', 'xn--bcher-kva.example'])
    expect((await post.inbox.list({ query: `domain:${wanted}` })).count, wanted).toBe(spellings.length)
})
