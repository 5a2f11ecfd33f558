import { validationError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
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
   * Number of mails that were not indexed, looked at or read in time, so that the search may miss them. If a part of the index
   * is damaged, this is the number of all mails. Absent if there are none.
   */
  unread_texts?: number
  /**
   * For a search for words: number of mails that have more text than the 262,144 characters that are searched; absent
   * if there are none.
   */
  cut_texts?: number
  /** With `fold`: how many mails there are, those of broadcasts counted one by one. */
  mails?: number
  /** With `count: 'page'`: the search ended when the page was full, so that there may be more matches than `count`. */
  at_least?: true
}

/** @throws validation_error for wrong values, and for a position together with a cursor. */
export function assertSearchQuery({ offset, count, fold, ...paging }: SearchQuery): void {
  const refuse = (field: string, message: string): never => {
    throw validationError([{ field, message }])
  }
  if (offset !== undefined && !(Number.isInteger(offset) && offset >= 0))
    refuse('offset', `must be a whole number from 0, not ${quote(offset)}`)
  if (offset !== undefined && givenCursor(paging) !== undefined)
    refuse('offset', 'cannot be given with a cursor: give one of them')
  if (count !== undefined && count !== 'all' && count !== 'page')
    refuse('count', `must be "all" or "page", not ${quote(count)}`)
  if (fold !== undefined && fold !== 'broadcasts') refuse('fold', `must be "broadcasts", not ${quote(fold)}`)
}
