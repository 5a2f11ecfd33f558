import { validationError } from '../../core/errors.ts'
import { notFound } from '../../store/repository.ts'
import type { PageQuery } from './email-schema.ts'

/** How many items a page has at most, and where nothing else is said. */
export const maxPage = 100

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
  const given = after ?? before
  const items: T[] = []
  let isIn = after === undefined
  for await (const item of all) {
    if (before !== undefined && item.id === before)
      return { items: items.slice(-limit), more: items.length > limit }
    if (isIn) items.push(item)
    else isIn = item.id === after
    // One more than are shown says that there are more.
    if (items.length <= limit) continue
    if (before === undefined) return { items: items.slice(0, limit), more: true }
    if (items.length > limit + 1) items.shift()
  }
  if (before !== undefined || !isIn) throw notFound(noun, given ?? '')
  return { items, more: false }
}
