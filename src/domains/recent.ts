import type { Store } from '../store/store.ts'
import { domainCollection, type DomainRecord } from './domain.ts'

/** Remembers the domains that were looked up last, so that many mails from one domain read its record once. */
export interface RecentDomains {
  /** The domain of this name as it is stored now, without a promise if it is remembered; null if there is none. */
  find(name: string): DomainRecord | Promise<DomainRecord | null>
}

/** @param most  How many domains are remembered. Any change to a domain clears all of them. Default: 100. */
export function createRecentDomains(store: Store, most = 100): RecentDomains {
  let recent = new Map<string, DomainRecord>()
  store.changes((change) => {
    if (change.op === 'gap' || change.collection === domainCollection.name) recent = new Map()
  })

  async function read(name: string): Promise<DomainRecord | null> {
    // A change during the read replaces `recent`; the record that was read is then put into the old map.
    const asOfNow = recent
    const domain = await store.find(domainCollection, 'name', [name])
    if (!domain) return null
    if (asOfNow.size >= most) asOfNow.clear()
    asOfNow.set(name, domain)
    return domain
  }

  return { find: (name) => recent.get(name) ?? read(name) }
}
