import type { Where } from './queries.ts'

/**
 * The texts of records that searches look at, in a store that keeps and searches them itself. They follow from the records
 * and their blobs, and go with the records: a text may be missing, but none is left behind.
 */
export interface Texts {
  /** Stores the text of a record in place of an older one. Has no effect if the record does not exist. */
  put(collection: Named, id: string, text: RecordText): Promise<void>
  /** The ids of the first records behind an id that have no text, in their order. */
  missing(collection: Named, after: string, limit: number): Promise<string[]>
  /** How many records have no text. Costs O(n). */
  countMissing(collection: Named): Promise<number>
  /** The number of all matches, and the ids of some of them, newest first. */
  page(collection: Named, query: TextQuery, place: TextPlace, limit?: TextLimit): Promise<TextPage>
  /** All matches, newest first. */
  all(collection: Named, query: TextQuery, limit?: TextLimit): Promise<TextMatches>
}

/** A collection, by its name. */
interface Named {
  readonly name: string
}

/**
 * A text by its parts, which `Collection.texts` names. A part that is null is only known from the record. Case and
 * white space are those that the terms have.
 */
export type RecordText = Readonly<Record<string, string | null>>

/** One of these parts contains one of these forms; or none does. */
export interface TextTerm {
  readonly parts: readonly string[]
  /** Without one, nothing contains them. */
  readonly forms: readonly string[]
  readonly isNegative: boolean
}

export interface TextQuery {
  /** All of them hold. */
  readonly terms: readonly TextTerm[]
  /** A further condition, only on facts. */
  readonly where: Where | null
  /**
   * Records behind this id that have no text are undecided matches, too; null for none of them. What that costs depends on how
   * many records are behind it.
   */
  readonly missingAfter: string | null
}

/** The requested part of the matches. */
export interface TextPlace {
  /** Only those before this one, which are older. Default: all. */
  readonly before: string | null
  readonly offset: number
  readonly limit: number
}

/** How long a search may look at texts, the newest first. */
export interface TextLimit {
  /** In milliseconds. Default: until all are looked at. */
  readonly mostMs?: number
  /** Ends the search with its reason. */
  readonly signal?: AbortSignal | undefined
}

export interface TextPage {
  readonly count: number
  /** How many of all matches only the record decides. */
  readonly undecided: number
  readonly ids: readonly string[]
  /** How many records were not looked at. */
  readonly left: number
}

export interface TextMatches {
  readonly matches: readonly TextMatch[]
  /** As in {@link TextPage}. */
  readonly left: number
}

export interface TextMatch {
  readonly id: string
  /** Whether only the record decides if it matches. */
  readonly isUndecided: boolean
}
