import { expect, it } from 'vitest'
import { recipientIn } from '../../src/search/query-terms.ts'

it.each([
  ['to:ada@example.com', 'ada@example.com'],
  ['is:unread To:"ada lovelace" x', 'ada lovelace'],
  [String.raw`to:"the \"ada\" \\ b"`, String.raw`the "ada" \ b`],
  ['"a"to:x', 'x'],
  ['"write to:ada" bob', undefined],
  [String.raw`"a \" to:ada"`, undefined],
  ['-to:ada', undefined],
  ['reply-to:ada', undefined],
  ['cc:ada', undefined],
  ['to: ada', undefined],
  [`to:${'a'.repeat(320)}`, 'a'.repeat(320)],
  [`to:${'a'.repeat(400)}`, undefined],
  [`to:"${'a '.repeat(200)}"`, undefined],
  [`to:${'a'.repeat(400)} to:bob`, 'bob'],
])('%s names the recipient %s', (query, recipient) => {
  expect(recipientIn(query)).toBe(recipient)
})
