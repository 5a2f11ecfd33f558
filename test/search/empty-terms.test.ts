import { expect, test } from 'vitest'
import { start } from '../support/instance.ts'

test('a query with empty quotes, or without text, is parsed and has no condition', async () => {
  const post = await start()
  await post.emails.send({ from: 'a@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'Hello' })
  for (const query of ['""', '" "', '-""', '\0', '"\x01\t"', '"" hello']) {
    expect((await post.inbox.list({ query })).count, JSON.stringify(query)).toBe(1)
  }
  expect((await post.inbox.list({ query: '"" nothing' })).count).toBe(0)
  await expect(post.inbox.list({ query: 'body:" "' })).rejects.toMatchObject({ code: 'invalid_query' })
  await expect(post.inbox.list({ query: 'subject:\x01' })).rejects.toMatchObject({ code: 'invalid_query' })
})

test('a query without a condition removes and changes nothing', async () => {
  const post = await start()
  await post.emails.send({ from: 'a@acme.test', to: 'ada@example.com', subject: 'Hi', text: 'Hello' })
  await expect(post.inbox.removeMatching('""')).rejects.toMatchObject({ code: 'invalid_query' })
  await expect(post.inbox.updateMatching(' ', { unread: false })).rejects.toMatchObject({
    code: 'invalid_query',
  })
  expect((await post.inbox.list()).count).toBe(1)
})
