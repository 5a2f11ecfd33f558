/** The values of an index's members; for a prefix, only the first of them. */
export type IndexKey = readonly (string | number | boolean)[]

/** How many records a page has if its query does not say it. */
export const defaultPageLimit = 50

/** Which records a page has, and in which order. */
export interface PageQuery {
  /** Default: `id`. */
  readonly index?: string
  /** Only records whose key begins with these values. */
  readonly prefix?: IndexKey
  /** Only records after this key in the direction of the page. No record needs to have the key. */
  readonly after?: IndexKey
  /** Only records at or before this key in index order: `until: [now]` on an index of due times. */
  readonly until?: IndexKey
  /** Default: `asc`. */
  readonly direction?: 'asc' | 'desc'
  /** Skips this many records in the direction of the page. Without `where` the cost does not depend on it. Default: 0. */
  readonly offset?: number
  /** Default: 50. */
  readonly limit?: number
  /** Only with the index `id`. */
  readonly where?: Where
  /** Ids of records that match whatever `where` says. Default: none. */
  readonly also?: readonly string[]
}

/** Which records to count. */
export interface CountQuery {
  readonly index?: string
  readonly prefix?: IndexKey
  /** As in {@link PageQuery}. */
  readonly until?: IndexKey
  /** As in {@link PageQuery}. */
  readonly where?: Where
}

/** A page of records. */
export interface Page<T> {
  readonly records: T[]
  /** Whether more records follow after the last one. */
  readonly more: boolean
}

/** The records to group, and the facts to group them by. */
export interface GroupQuery {
  /** Only records with this flag. */
  readonly flag: string
  /** A record belongs to the group of the first of its texts of this name that begins with `prefix`. */
  readonly text: string
  readonly prefix: string
  /** The flags that are counted. */
  readonly counted: readonly string[]
}

/** The records that have one text in common. */
export interface RecordGroup {
  readonly text: string
  /** The smallest id. */
  readonly first: string
  /** How many records there are. */
  readonly count: number
  /** How many records have each of the counted flags, in their order. */
  readonly flagged: readonly number[]
}

/**
 * What conditions ask for most often. The store keeps the facts of every record in memory, so that such conditions read
 * no record.
 */
export interface Facts<T> {
  /** To be raised when `of` returns other facts for the same record, because facts are stored. */
  readonly version: number
  /** A name for each bit of `FactValues.flags`, from the lowest; at most 30. */
  readonly flags: readonly string[]
  /**
   * The flags that are members of the record: every record has a boolean of this name, true where the flag is set, and
   * neither another fact nor an index depends on it. `Store.bulk` can set these, and no others, without reading the
   * records. Default: none.
   */
  readonly members?: readonly string[]
  /** The names of `FactValues.numbers`, and of `FactValues.texts`, in their order. */
  readonly numbers: readonly string[]
  readonly texts: readonly string[]
  /** Must depend only on the record. Records for which it throws are read for each condition. */
  of(record: T): FactValues
}

/** Sets a flag that is a member of the record; see {@link Facts.members}. */
export interface FlagChange {
  readonly flag: string
  readonly is: boolean
}

/** The facts of one record; numbers and texts in the order of {@link Facts}. */
export interface FactValues {
  readonly flags: number
  readonly numbers: readonly number[]
  /** Several texts, one or none for each name. */
  readonly texts: readonly (readonly string[])[]
}

/** A condition on a fact. */
export type FactWhere =
  /** The record has this flag. */
  | { readonly flag: string }
  | { readonly number: string; readonly above: number }
  | { readonly number: string; readonly below: number }
  /** One of the texts of this name is equal. */
  | { readonly text: string; readonly equals: string }
  /** One of the texts of this name begins with this one. */
  | { readonly text: string; readonly begins: string }

/** A condition on one record. The set of conditions is fixed, so that an adapter can translate them for a database. */
export type Where =
  | FactWhere
  | { readonly member: string; readonly equals: string | number | boolean | null }
  /** Compared by `foldText`; an array matches when one of its strings does. */
  | { readonly member: string; readonly contains: string }
  | { readonly all: readonly Where[] }
  | { readonly any: readonly Where[] }
  | { readonly not: Where }
