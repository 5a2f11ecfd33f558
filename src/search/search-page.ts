import { quote, validationError } from '../core/errors.ts'
import { givenCursor, type ListPage, type ListQuery } from '../core/lists.ts'

/** The requested page of the results. */
export interface SearchQuery extends ListQuery {
  /** The position of the first item of the page, from 0; instead of a cursor. */
  offset?: number
  /**
   * With `broadcasts`, a list of all mail has one item for each broadcast, at the position of its first mail. Searches
   * are not folded.
   */
  fold?: 'broadcasts'
  /**
   * With `page`, the search may end as soon as the page is full; the result then says `at_least`. Default: `all`, so that all
   * matches are counted.
   */
  count?: 'all' | 'page'
  /** Ends the search. */
  signal?: AbortSignal | undefined
}

/** A page of search results. With `count: 'page'`, `count` may differ from page to page. */
export interface SearchPage<T> extends ListPage<T> {
  /**
   * Number of mails that were not indexed, looked at or read in time, so that the search may miss them: all, if a part of the
   * index is damaged. Absent if there are none.
   */
  unread_texts?: number
  /** For a search for words: number of mails that have more text than the 262,144 characters that are searched; absent if there are none. */
  cut_texts?: number
  /** With `fold`: how many mails there are, those of broadcasts counted one by one. */
  mails?: number
  /** With `count: 'page'`: the search ended when the page was full, so that there may be more matches than `count`. */
  at_least?: true
}

/** @throws validation_error for a wrong position, and for a position together with a cursor. */
export function checkOffset(offset: number | undefined, query: ListQuery): number {
  if (offset === undefined) return 0
  const isPosition = Number.isInteger(offset) && offset >= 0
  if (isPosition && givenCursor(query) === undefined) return offset
  const message = isPosition
    ? 'cannot be given with a cursor: give one of them'
    : `must be a whole number from 0, not ${quote(offset)}`
  throw validationError([{ field: 'offset', message }])
}

/** Whether all matches are to be counted. @throws validation_error */
export function readExtent(count: unknown): boolean {
  if (count === undefined || count === 'all' || count === 'page') return count !== 'page'
  throw validationError([{ field: 'count', message: `must be "all" or "page", not ${quote(count)}` }])
}

/** Whether a list is to be folded. @throws validation_error */
export function readFold(fold: unknown): boolean {
  if (fold === undefined || fold === 'broadcasts') return fold !== undefined
  throw validationError([{ field: 'fold', message: `must be "broadcasts", not ${quote(fold)}` }])
}
