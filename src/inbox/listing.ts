import { assertKnownOptions } from '../core/known-options.ts'
import type { EmailRecord } from '../emails/email.ts'
import type { Digest } from '../reading/digest.ts'
import type { Digests } from '../search/digests.ts'
import type { FoldedGroup } from '../search/folded.ts'
import { parseMailQuery } from '../search/query.ts'
import type { SearchPage } from '../search/search-page.ts'
import type { Search } from '../search/search.ts'
import type { Store } from '../store/store.ts'
import type { Inbox, InboxPages } from './methods.ts'
import type { ListedMail } from './types.ts'
import { toMailEntry, toListedBroadcast, toMailSummary } from './views.ts'

interface ListingDeps {
  store: Store
  search: Pick<Search, 'list'>
  digests: Digests
  /** The instance's time, for relative dates in queries. */
  now(): number
}

/** Lists the mails of an inbox: for its page and the library, and with more of each header for other interfaces. */
export function createListing(deps: ListingDeps): Pick<Inbox, 'list'> & Pick<InboxPages, 'entries'> {
  const { store, search, digests, now } = deps
  async function listed<Item>(
    query: Parameters<Inbox['list']>[0],
    toItem: (email: EmailRecord, digest: Digest, group: FoldedGroup | undefined) => Promise<Item>,
  ): Promise<SearchPage<Item>> {
    const { query: text, ...wanted } = query ?? {}
    const { groups, ...page } = await search.list(parseMailQuery(text, now()), wanted)
    // One after the other, so that a page of large submissions is not parsed at once.
    const items: Item[] = []
    for (const email of page.items)
      items.push(await toItem(email, await digests.of(email, wanted.signal), groups?.get(email.id)))
    return { ...page, items }
  }

  return {
    async list(query) {
      const names = ['cursor', 'offset', 'limit', 'query', 'fold', 'count', 'signal']
      assertKnownOptions(query, names, 'inbox.list()')
      return listed(query, async (email, digest, group): Promise<ListedMail> => {
        const summary = toMailSummary(email, digest)
        return group ? { ...summary, broadcast: await toListedBroadcast(store, email, group) } : summary
      })
    },
    entries: (query) => listed(query, async (email, digest) => toMailEntry(email, digest)),
  }
}
