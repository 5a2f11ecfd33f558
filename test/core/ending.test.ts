import { expect, it } from 'vitest'
import { withoutEnding } from '../../src/core/text.ts'

it.each([
  ['https://a.example//', '/', 'https://a.example'],
  ['a/b', '/', 'a/b'],
  ['///', '/', ''],
  ['', '/', ''],
  ['key \t ', ' \t', 'key'],
])('%j without %j at its end is %j', (text, characters, rest) => {
  expect(withoutEnding(text, characters)).toBe(rest)
})
