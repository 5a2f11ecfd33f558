import type { TagCount } from '../../../src/inbox/types.ts'
import { hasPart, tagPart, togglePart } from './query-filters.ts'

/** A search for the next of these tags: for the first if it has none of them, and without a tag after the last. */
export function withNextTag(query: string, tags: readonly Pick<TagCount, 'tag'>[]): string {
  const at = tags.findIndex(({ tag }) => hasPart(query, tagPart(tag)))
  const [last, next] = [tags[at], tags[at + 1]]
  const without = last ? togglePart(query, tagPart(last.tag)) : query
  return next ? togglePart(without, tagPart(next.tag)) : without
}
