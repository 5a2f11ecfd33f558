import { z } from 'zod'
import { quote } from '../../core/quote.ts'
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

/** The form of the times of queries. */
const timeForm = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,7})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i

const dayMs = 24 * 60 * 60 * 1000

/** Reads a day, or a time of a day. @returns Unix time in milliseconds; null for anything else. */
function readTime(text: string, edge: 'start' | 'end'): number | null {
  if (!timeForm.test(text)) return null
  const isDay = text.length === 10
  const hasZone = isDay || /(?:Z|[+-]\d\d:?\d\d)$/i.test(text.slice(10))
  const time = Date.parse(`${text.replace(' ', 'T')}${hasZone ? '' : 'Z'}`)
  if (Number.isNaN(time)) return null
  return isDay && edge === 'end' ? time + dayMs - 1 : time
}

/** A time in a query. @param edge  What a day stands for: its start or its end. */
export function queryTime(edge: 'start' | 'end'): z.ZodType<number | undefined> {
  return z
    .string()
    .transform((text, context) => {
      const time = readTime(text, edge)
      if (time !== null) return time
      const message = `must be a day such as 2026-01-31, or a time such as 2026-01-31T12:00:00, not ${quote(text)}`
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    })
    .optional()
    .describe('A day, or a time of one; in UTC, where it names no zone')
}

/** One of some names in a query, in any case. */
export function queryName<T extends string>(names: readonly T[]): z.ZodType<T | undefined> {
  return z
    .string()
    .transform((text, context) => {
      const found = names.find((name) => name.toLowerCase() === text.toLowerCase())
      if (found !== undefined) return found
      context.addIssue({ code: 'custom', message: `must be one of ${names.join(', ')}, not ${quote(text)}` })
      return z.NEVER
    })
    .optional()
    .describe(`One of ${names.join(', ')}`)
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
