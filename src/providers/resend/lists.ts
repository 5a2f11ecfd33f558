import { z } from 'zod'
import { validationError } from '../../core/errors.ts'
import { queryNumber } from '../../server/query-values.ts'
import { notFound } from '../../store/repository.ts'

/** The maximum number of items of a page, and the default. */
export const maxPage = 100

/** Which items of a list are asked for. */
interface PageQuery {
  limit?: number | undefined
  after?: string | undefined
  before?: string | undefined
}

/** The query of a list. */
export function pageQuery(defaultLimit: number): z.ZodType<PageQuery> {
  return z.strictObject({
    limit: queryNumber(1, maxPage).optional().describe(`Default: ${defaultLimit}`),
    after: z.string().optional().describe('The id of the last item of the previous page'),
    before: z.string().optional().describe('The id of the first item of the next page'),
  })
}

/** A page of a list, as it is answered. */
export function listSchema(item: z.ZodType): z.ZodType {
  return z.strictObject({ object: z.literal('list'), has_more: z.boolean(), data: z.array(item) })
}

/** Makes what {@link listSchema} says. */
export function toList<T>(data: readonly T[], has_more: boolean): object {
  return { object: 'list', has_more, data }
}

/**
 * One page of a short list.
 *
 * @param noun  What its items are: `domain`.
 * @param all  In the order of the list.
 * @returns The items, and whether there are more in the direction that was asked for.
 * @throws not_found for an id that is not in the list; validation_error for `after` together with `before`.
 */
export async function pageOf<T extends { readonly id: string }>(
  noun: string,
  all: AsyncIterable<T> | Iterable<T>,
  { limit = maxPage, after, before }: PageQuery,
): Promise<{ items: T[]; more: boolean }> {
  if (after !== undefined && before !== undefined)
    throw validationError([{ field: 'after', message: 'must not be given together with before' }])
  const items: T[] = []
  const given = after ?? before
  for await (const item of all) {
    items.push(item)
    if (given === undefined && items.length > limit) break
  }
  const at = items.findIndex(({ id }) => id === given)
  if (given !== undefined && at === -1) throw notFound(noun, given)
  if (before !== undefined) return { items: items.slice(Math.max(0, at - limit), at), more: at > limit }
  const rest = given === undefined ? items : items.slice(at + 1)
  return { items: rest.slice(0, limit), more: rest.length > limit }
}
