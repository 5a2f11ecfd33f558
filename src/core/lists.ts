/** A page of a list of `/v1` or `/dev`, as the resources return it; the handler names its array (`emails`, `domains`, …). */
export interface ListPage<T> {
  items: T[]
  /** All items of the collection (or all matches of a query), the same on every page. */
  count: number
  /** The cursor of the next page; null on the last page. */
  cursor: string | null
}

/** Which page of a list. */
export interface ListQuery {
  /** From the previous page. Absent, null, empty or the literal `null`: the first page. */
  cursor?: string | null
  /** Items per page; default: the instance's `pageSize`. */
  limit?: number
}

/** The number of items per page: the most that a query may ask for, and the default. The option `pageSize` has both too. */
export const maxPageSize = 500
export const defaultPageSize = 50

/** The cursor of a query; undefined for the first page. */
export function givenCursor(query: ListQuery | undefined): string | undefined {
  const cursor = query?.cursor
  return cursor === undefined || cursor === null || cursor === '' || cursor === 'null' ? undefined : cursor
}
