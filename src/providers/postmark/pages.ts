import { z } from 'zod'
import { queryNumber } from '../../server/query-values.ts'

/** How many items of a list can be reached: `count` and `offset` together. */
const maxReached = 10_000

/** The members of the query of every list. */
export const pageMembers: { count: z.ZodType<number>; offset: z.ZodType<number> } = {
  count: queryNumber(1, 500).describe('Required: how many items'),
  offset: queryNumber(0, maxReached - 1).describe(
    `Required: how many items to skip; with \`count\` at most ${maxReached}`,
  ),
}

/** The page that a query asks for. */
interface PageWanted {
  readonly count: number
  readonly offset: number
}

/** Refuses a page that is too far from the beginning. */
export function checkPage({ count, offset }: PageWanted, context: z.RefinementCtx): void {
  if (count + offset <= maxReached) return
  const message = `must be at most ${maxReached - count} with this count, not ${offset}: narrow the list by other members`
  context.addIssue({ code: 'custom', path: ['offset'], message })
}

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
