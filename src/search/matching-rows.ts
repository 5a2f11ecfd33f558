import type { TextLimit } from '../store/texts.ts'
import type { MailFilter } from './query.ts'

/**
 * Finds mail by its text, its subject and its addresses. A limit is for texts in a database; columns of this process
 * need none.
 */
export interface MatchingRows {
  /** The ids of the mails that may match, newest first, including removed mails. */
  candidates(filter: MailFilter, limit?: TextLimit): Promise<MatchingIds>
  /** The ids of the matches of a query that rows decide, newest first. */
  ids(filter: MailFilter, limit?: TextLimit): Promise<MatchingIds>
  /** The same, one page of them, and their number. */
  page(filter: MailFilter, wanted: WantedRows, limit?: TextLimit): Promise<MatchingPage>
}

export interface MatchingIds {
  readonly ids: readonly string[]
  /** Number of mails that were not searched. */
  readonly unsearched: number
}

export interface WantedRows {
  /** Only those after it in the list, which are older; null for all. */
  readonly cursor: string | null
  readonly offset: number
  readonly limit: number
  /** Whether to count all matches. If not, the search may end as soon as the page is full. */
  readonly isCounted: boolean
}

export interface MatchingPage extends MatchingIds {
  readonly count: number
  readonly more: boolean
  /** Whether the search ended when the page was full, so that there may be more matches than `count`. */
  readonly isPartial: boolean
}
