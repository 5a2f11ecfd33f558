import { expect, test } from 'vitest'
import { computed, nextTick, watch } from 'vue'
import { useSearchedList } from '../../ui/views/requests/search-list.ts'
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

/** A list of the server, from the newest entry to 0, in pages of three. */
function countdown(newest: () => number) {
  return usePaged<number>(async (cursor) => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    const first = cursor === null ? newest() : Number(cursor) - 1
    const items = Array.from({ length: Math.min(3, first + 1) }, (_, at) => first - at)
    return { items, cursor: first > 2 ? String(first - 2) : null }
  })
}

test('a list that is renewed changes once, with the entries of its other pages', async () => {
  let newest = 8
  const list = countdown(() => newest)
  await list.load()
  await list.loadMore()
  const seen: number[][] = []
  watch(list.items, (items) => void seen.push(items))
  newest = 9
  await list.refresh((entry, last) => entry < last)
  await list.loadMore()
  expect(seen).toEqual([
    [9, 8, 7, 6, 5, 4, 3],
    [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
  ])
})

test.each([1, 3, 4, 20, 29, 30, 31, 32, 100])(
  'a list that is renewed after %i new entries has no gap, and goes on to its end',
  async (added) => {
    let newest = 8
    const list = countdown(() => newest)
    await list.load()
    await list.loadMore()
    newest += added
    await list.refresh((entry, last) => entry < last)
    const { value: items } = list.items
    expect(items).toEqual(items.map((_, at) => newest - at))
    // What is too much to read at once begins again; 30 may be followed by others.
    expect(items.length).toBe(added < 30 ? 6 + added : 30)
    while (list.hasMore.value) await list.loadMore()
    expect(list.items.value).toEqual(Array.from({ length: newest + 1 }, (_, at) => newest - at))
  },
)

test('a list that is renewed keeps nothing that is gone behind its end', async () => {
  let all = [8, 7, 6, 5, 4, 3, 2, 1, 0]
  const list = usePaged<number>(async (cursor) => {
    const rest = cursor === null ? all : all.filter((one) => one < Number(cursor))
    return { items: rest.slice(0, 3), cursor: rest.length > 3 ? String(rest[2]) : null }
  })
  await list.load()
  await list.loadMore()
  all = [8, 7]
  await list.refresh((entry, last) => entry < last)
  expect([list.items.value, list.hasMore.value]).toEqual([[8, 7], false])
  all = []
  await list.refresh((entry, last) => entry < last)
  expect([list.items.value, list.hasMore.value]).toEqual([[], false])
})

test('what is loaded at first is as much as was asked for, or all there is', async () => {
  const pageOf = async (cursor: string | null) => {
    const first = cursor === null ? 20 : Number(cursor)
    return { items: [first, first - 1, first - 2], cursor: first > 3 ? String(first - 3) : null }
  }
  const some = usePaged<number>(pageOf, 7)
  await some.load()
  expect([some.items.value.length, some.hasMore.value]).toEqual([9, true])
  const all = usePaged<number>(pageOf, 100)
  await all.load()
  expect([all.items.value.length, all.hasMore.value]).toEqual([21, false])
})

test('an entry is looked for to the end of a list, also when the list is loaded again meanwhile', async () => {
  const list = countdown(() => 8)
  const isSearching = useSearchedList(computed(() => list))
  await list.load()
  // The next page is asked for now, and this drops it.
  await nextTick()
  await list.load()
  await expect.poll(() => isSearching.value).toBe(false)
  expect(list.items.value).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0])
})
