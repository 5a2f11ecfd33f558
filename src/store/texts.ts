import type { Where } from './queries.ts'
import type { BlobId } from './names.ts'

/**
 * The texts that searches look at, in a store that keeps and searches them itself. They are derived from the records
 * and their blobs. The text of a record may be missing; it is removed together with the record.
 */
export interface Texts {
  /** Stores the texts of records in place of older ones. Skips records that do not exist. After an error, some may be stored. */
  put(collection: Named, texts: readonly NewText[]): Promise<void>
  /** Called after many were stored, when no more follow for now, so that searches need not look through them one by one. */
  settle(collection: Named): Promise<void>
  /** How many records have more text than is stored of them. */
  countCut(collection: Named): Promise<number>
  /** The ids of the first records after an id that have no text, in ascending order. */
  missing(collection: Named, after: string, limit: number): Promise<string[]>
  /**
   * Reads blobs of records together, in the order of their ids; null for one that does not exist, or is too large for this.
   *
   * @param ids  The caller limits their number, and their bytes.
   */
  blobs(collection: Named, ids: readonly BlobId[]): Promise<(Buffer | null)[]>
  /** How many records have no text. Costs O(n). */
  countMissing(collection: Named): Promise<number>
  /** The number of all matches, and the ids of some of them, newest first. */
  page(collection: Named, query: TextQuery, place: TextPlace, limit?: TextLimit): Promise<TextPage>
  /** All matches, newest first. */
  all(collection: Named, query: TextQuery, limit?: TextLimit): Promise<TextMatches>
}

/** A collection, by its name. */
export interface Named {
  readonly name: string
}

/**
 * The text of a record, by the parts that `Collection.texts` names. A null part can only be read from the record. Case
 * and white space are normalized like those of the terms.
 */
export type RecordText = Readonly<Record<string, string | null>>

/** The text of one record. */
export interface NewText {
  readonly id: string
  readonly text: RecordText
  /** Whether the record has more text than this. */
  readonly isCut: boolean
}

/** A condition: one of these parts contains one of these forms. With `isNegative`, none of them does. */
export interface TextTerm {
  readonly parts: readonly string[]
  /** If there are none, no text contains the term. */
  readonly forms: readonly string[]
  readonly isNegative: boolean
}

/** Which texts a search is for. */
export interface TextQuery {
  /** Every term must be true. */
  readonly terms: readonly TextTerm[]
  /** A further condition, only on facts. */
  readonly where: Where | null
  /**
   * Records after this id that have no text are undecided matches too; null for none of them. The cost depends on how
   * many records come after it. Only for terms that each occur within one string of the record: a store may skip a record
   * none of whose strings can contain the term.
   */
  readonly missingAfter: string | null
}

/** The requested part of the matches. */
export interface TextPlace {
  /** Only matches with a smaller id than this, which are older; null for all. */
  readonly before: string | null
  readonly offset: number
  readonly limit: number
  /** Whether to count all matches. If not, the search may end as soon as the page is full. */
  readonly isCounted: boolean
}

/** How long a search may look at texts, the newest first. */
export interface TextLimit {
  /** In milliseconds. Default: until all are looked at. */
  readonly mostMs?: number
  /** Ends the search with its reason. */
  readonly signal?: AbortSignal | undefined
}

/** A part of the matches, and how many there are. */
export interface TextPage {
  readonly count: number
  /** How many of all matches only the record decides. */
  readonly undecided: number
  readonly ids: readonly string[]
  /** How many records were not looked at. */
  readonly left: number
  /** Whether the search ended when the page was full, so that there may be more matches than `count`. */
  readonly isPartial: boolean
}

/** All matches. */
export interface TextMatches {
  readonly matches: readonly TextMatch[]
  /** As in {@link TextPage}. */
  readonly left: number
}

/** A record whose text matches, or may match. */
export interface TextMatch {
  readonly id: string
  /** Whether only the record decides if it matches. */
  readonly isUndecided: boolean
}
