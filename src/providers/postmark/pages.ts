import type { PageWanted } from './page-query.ts'

/**
 * One page of a list that is made of records.
 *
 * @param pages  Records, in the order of the list.
 * @param toItems  The items that a record becomes; none if it does not match.
 * @returns The items of the page, and how many there are in all.
 */
export async function selectPage<T, Item>(
  pages: AsyncIterable<readonly T[]>,
  { count, offset }: PageWanted,
  toItems: (record: T) => readonly Item[],
): Promise<{ items: Item[]; total: number }> {
  const items: Item[] = []
  let total = 0
  for await (const records of pages)
    for (const item of records.flatMap(toItems)) {
      if (total >= offset && items.length < count) items.push(item)
      total++
    }
  return { items, total }
}
