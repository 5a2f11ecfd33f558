import type { Api } from '../../composables/api.ts'
import type { InboxList } from '../../composables/inbox.ts'
import { tagPart } from './query-filters.ts'
import type { Selection } from './selection.ts'

/** Changes of many mails: of the selected ones, of those with a tag, or of all matches of the search. */
export interface Bulk {
  setUnread(unread: boolean): Promise<void>
  addTag(tag: string): Promise<void>
  remove(ids: readonly string[]): Promise<void>
  /** URLs of archives of the selected mails: several if the ids do not fit into one URL. */
  exportPaths(): string[]
  /** Replaces a tag with another one in all mails that have it, in one change. @returns Whether it was cancelled before its end. */
  renameTag(from: string, to: string): Promise<boolean>
  /** Marks every match of the list's search as read, selected or not. */
  markMatchesRead(): Promise<void>
}

/**
 * Actions on a selection: mails that were selected one by one are sent as ids, all matches of a search as the search.
 */
export function createBulk(api: Api, inbox: InboxList, selection: Selection): Bulk {
  const path = (query: string): string =>
    `dev/inbox?${query ? new URLSearchParams({ query }).toString() : 'all=true'}`

  function change(values: { unread: boolean } | { add_tags: string[] }): Promise<void> {
    if (selection.everything.value) return api.write('PATCH', path(inbox.shown.value), values)
    return eachSlice([...selection.ids.value], (ids) => api.write('PATCH', 'dev/inbox', { ids, ...values }))
  }

  return {
    setUnread: (unread) => change({ unread }),
    addTag: (tag) => change({ add_tags: [tag] }),
    remove: (ids) => eachSlice(ids, (slice) => api.write('DELETE', 'dev/inbox', { ids: slice })),
    exportPaths() {
      if (selection.everything.value) return [exportPath(inbox.shown.value)]
      return slicesOf([...selection.ids.value], idsPerAddress).map((ids) => exportPath(`id:${ids.join(',')}`))
    },
    async renameTag(from, to) {
      const changes = { remove_tags: [from], add_tags: [to] }
      const answer = await api.write<{ cancelled?: true }>('PATCH', path(tagPart(from)), changes)
      return answer.cancelled === true
    },
    markMatchesRead: () => api.write('PATCH', path(inbox.shown.value), { unread: false }),
  }
}

/** The URL of all matches of a search as one file. */
export function exportPath(query: string): string {
  return `dev/inbox/export${query ? `?${new URLSearchParams({ query }).toString()}` : ''}`
}

// The maximum that the server accepts.
const idsPerCall = 500
// A URL has to stay below 16 KB.
const idsPerAddress = 300

async function eachSlice(ids: readonly string[], work: (ids: string[]) => Promise<unknown>): Promise<void> {
  for (const slice of slicesOf(ids, idsPerCall)) await work(slice)
}

function slicesOf(ids: readonly string[], size: number): string[][] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, at) =>
    ids.slice(at * size, (at + 1) * size),
  )
}
