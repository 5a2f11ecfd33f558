import { expect, test } from 'vitest'
import type { ListedMail, Mail } from '../../src/inbox/types.ts'
import { createExcerpts } from '../../ui/views/inbox/excerpts.ts'

/** Mails without the words in their rows, as the texts of a slow server have them. */
const rowsOf = (ids: readonly string[]): ListedMail[] =>
  ids.map(
    (id) =>
      ({
        id,
        from: '',
        to: [],
        to_names: [],
        subject: '',
        snippet: '',
        size_bytes: 1,
      }) as unknown as ListedMail,
  )

test('a search that begins while others are being read gets all its excerpts, and reads two mails at once', async () => {
  const found = new Map<string, string>()
  const open: { id: string; answer(): void }[] = []
  let most = 0
  const excerpts = createExcerpts(
    {
      get: (id) =>
        new Promise((resolve) => {
          open.push({ id, answer: () => resolve({ text: 'first second third' } as Mail) })
          most = Math.max(most, open.length)
        }),
    },
    found,
  )
  const ids = ['a', 'b', 'c', 'd', 'e']
  excerpts.look(rowsOf(ids), ['first'], true)
  excerpts.look(rowsOf(ids), ['second'], true)
  expect(open.map(({ id }) => id)).toEqual(['a', 'b', 'a', 'b'])
  // The aborted ones come last.
  const old = open.splice(0, 2)
  most = 0
  for (let answers = 0; found.size < ids.length; answers++) {
    expect(answers).toBeLessThan(10)
    open.shift()?.answer()
    if (answers === 1) for (const { answer } of old) answer()
    await new Promise(setImmediate)
  }
  expect([...found.keys()].toSorted()).toEqual(ids)
  expect(most).toBe(2)
})

test('a row without the beginning of the text shows what was found there', () => {
  const found = new Map<string, string>()
  const excerpts = createExcerpts({ get: () => Promise.reject(new Error('Nothing is read.')) }, found)
  const mails = rowsOf(['a']).map((mail) => ({ ...mail, snippet: 'Your code is 123' }))
  excerpts.look(mails, ['code'], true)
  expect(found.size).toBe(0)
  excerpts.look(mails, ['code'], false)
  expect(found.get('a')).toBe('Your code is 123')
})
