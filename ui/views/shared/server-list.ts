import { useInstance } from '../../composables/instance.ts'
import { type Paged, usePaged } from './paged.ts'

/**
 * A list of the server, page by page.
 *
 * @param path  With the rest of its query: `dev/domains?limit=100`. A list of `/v1` is asked for as an app does it.
 * @param member  The name of the records in the answer.
 * @param atFirst  How many entries are loaded at once, if there are so many. Default: one page.
 */
export function useServerList<T>(path: string, member: string, atFirst = 0): Paged<T> {
  const { api } = useInstance()
  return usePaged<T>(async (cursor) => {
    const after =
      cursor === null ? '' : `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`
    const asked = `${path}${after}`
    const page = await (path.startsWith('v1/') ? api.v1<Answer<T>>('GET', asked) : api.read<Answer<T>>(asked))
    return { items: page[member] ?? [], cursor: page.cursor ?? null }
  }, atFirst)
}

/** A list that always has one page has no cursor. */
type Answer<T> = { cursor?: string | null } & Record<string, T[]>
