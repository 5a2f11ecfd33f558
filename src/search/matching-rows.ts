import type { MailFilter } from './query.ts'

/** Finds mail by its text, its subject and its addresses. */
export interface MatchingRows {
  /** The ids of the mails that may match, newest first, including removed mails. */
  candidates(filter: MailFilter, limit?: RowsLimit): Promise<string[]>
  /** The ids of the matches of a query that rows decide, newest first. */
  ids(filter: MailFilter, limit?: RowsLimit): Promise<string[]>
  /** The same, one page of them, and their number. */
  page(filter: MailFilter, wanted: WantedRows, limit?: RowsLimit): Promise<MatchingPage>
}

/** How long texts in a database are searched. The columns of this process need no limit of time. */
export interface RowsLimit {
  /** In milliseconds. Default: until all are searched. */
  readonly mostMs?: number
  /** Ends the search with its reason. */
  readonly signal?: AbortSignal | undefined
  /** Increased by the number of mails that were not searched. */
  left: number
}

export interface WantedRows {
  /** Only those after it in the list, which are older; null for all. */
  readonly cursor: string | null
  readonly offset: number
  readonly limit: number
  /** Whether to count all matches. If not, the search may end as soon as the page is full. */
  readonly isCounted: boolean
}

export interface MatchingPage {
  readonly ids: readonly string[]
  readonly count: number
  readonly more: boolean
  /** Whether the search ended when the page was full, so that there may be more matches than `count`. */
  readonly isPartial: boolean
}
