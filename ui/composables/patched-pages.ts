import type { ListedMail } from '../../src/inbox/types.ts'
import type { Api, MailPage, MailSearch } from './api.ts'

/** Fetches pages of the list. A page that the server made before a change of this tab does not undo that change in the list. */
export interface PatchedPages {
  fetch(search: MailSearch, signal: AbortSignal): Promise<MailPage>
  /** Tells of a change that the server has confirmed. */
  patch(id: string, change: Partial<ListedMail>): void
}

export function createPatchedPages(api: Pick<Api, 'list'>): PatchedPages {
  /** For each page that is being fetched, the changes since it was asked for, by the id of the mail. */
  const fetching = new Set<Map<string, Partial<ListedMail>>>()
  return {
    async fetch(search, signal) {
      const patches = new Map<string, Partial<ListedMail>>()
      fetching.add(patches)
      try {
        const page = await api.list(search, signal)
        if (patches.size === 0) return page
        return { ...page, emails: page.emails.map((mail) => ({ ...mail, ...patches.get(mail.id) })) }
      } finally {
        fetching.delete(patches)
      }
    },
    patch(id, change) {
      for (const patches of fetching) patches.set(id, { ...patches.get(id), ...change })
    },
  }
}
