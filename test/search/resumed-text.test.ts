import { expect, it } from 'vitest'
import { createLocalpost, type Localpost } from '../../src/index.ts'
import { searchedLength } from '../../src/mime/html/searchable-text.ts'
import { temporaryFolder } from '../support/folder.ts'
import { submit } from '../support/submit.ts'

it('counts the mails with more text again after a start', async () => {
  const dir = temporaryFolder()
  const open = (): Promise<Localpost> => createLocalpost({ dir })
  const first = await open()
  for (const subject of ['one', 'two'])
    await submit(first, { subject, text: `inside ${'word '.repeat(searchedLength / 5)} needle` })
  expect(await cutOf(first, 'inside')).toEqual([['two', 'one'], 2])
  await first.close()
  const second = await open()
  const [one] = (await second.inbox.list({ query: 'subject:one' })).items
  await second.inbox.remove(one?.id ?? '')
  expect(await cutOf(second, 'inside')).toEqual([['two'], 1])
  await second.close()
  const third = await open()
  expect(await cutOf(third, 'inside')).toEqual([['two'], 1])
  await third.close()
})

async function cutOf(post: Localpost, query: string): Promise<[string[], number | undefined]> {
  const { items, cut_texts } = await post.inbox.list({ query })
  return [items.map(({ subject }) => subject), cut_texts]
}
