import { expect, test } from 'vitest'
import { usePaged } from '../../ui/views/shared/paged.ts'

test('reading a list again keeps as many pages as were loaded, without what was removed', async () => {
  let all = Array.from({ length: 7 }, (_, at) => at)
  const list = usePaged<number>(async (cursor) => {
    const from = cursor === null ? 0 : all.findIndex((one) => one > Number(cursor))
    const items = from === -1 ? [] : all.slice(from, from + 3)
    return { items, cursor: from + 3 < all.length ? String(items.at(-1)) : null }
  })
  await list.load()
  await list.reload()
  expect([list.items.value, list.hasMore.value]).toEqual([[0, 1, 2], true])
  await list.loadMore()
  all = all.filter((one) => one !== 1 && one !== 4)
  await list.reload()
  expect([list.items.value, list.hasMore.value]).toEqual([[0, 2, 3, 5, 6], false])
  all = []
  await list.reload()
  expect([list.items.value, list.phase.value]).toEqual([[], 'ready'])
})
