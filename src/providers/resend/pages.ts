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
  const items: T[] = []
  const given = after ?? before
  for await (const item of all) {
    items.push(item)
    if (given === undefined && items.length > limit) break
  }
  const at = items.findIndex(({ id }) => id === given)
  if (given !== undefined && at === -1) throw notFound(noun, given)
  if (before !== undefined) return { items: items.slice(Math.max(0, at - limit), at), more: at > limit }
  const rest = items.slice(at + 1)
  return { items: rest.slice(0, limit), more: rest.length > limit }
}
