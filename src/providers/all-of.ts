import type { ListPage, ListQuery } from '../core/lists.ts'

/**
 * All entries of a list of the core, for providers that count pages in another way.
 *
 * @param list  Lists one page.
 * @param from  The cursor of the first page. Default: that of the list's beginning.
 */
export async function* allOf<T>(
  list: (query: ListQuery) => Promise<ListPage<T>>,
  from: string | null = null,
): AsyncGenerator<T> {
  let cursor = from
  do {
    const page: ListPage<T> = await list({ limit: 100, cursor })
    yield* page.items
    cursor = page.cursor
  } while (cursor !== null)
}
