/**
 * What conditions ask for most often, derived from a record. The store keeps the facts of every record in memory, so that
 * conditions on them read no record.
 */
export interface Facts<T> {
  /** To be raised when `of` returns other facts for the same record, because facts are stored. */
  readonly version: number
  /** A name for each bit of `FactValues.flags`, from the lowest; at most 30. */
  readonly flags: readonly string[]
  readonly numbers: readonly string[]
  readonly texts: readonly string[]
  /** Must depend only on the record. Records for which it throws are read for each condition. */
  of(record: T): FactValues
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
