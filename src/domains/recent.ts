import type { Store } from '../store/store.ts'
import { domainCollection, type DomainRecord } from './domain.ts'

/** The domains that were looked up last, so that a stream of mail from one reads its record once. */
export interface RecentDomains {
  /** The domain of this name as it is stored now, at once where it is remembered; null where there is none. */
  find(name: string): DomainRecord | Promise<DomainRecord | null>
}

/** @param most  How many are remembered. All are forgotten with the first change to any domain. Default: 100. */
export function createRecentDomains(store: Store, most = 100): RecentDomains {
  let recent = new Map<string, DomainRecord>()
  store.changes((change) => {
    if (change.op === 'gap' || change.collection === domainCollection.name) recent = new Map()
  })

  async function read(name: string): Promise<DomainRecord | null> {
    // What was read before a change must not be remembered after it.
    const asOfNow = recent
    const domain = await store.find(domainCollection, 'name', [name])
    if (!domain) return null
    if (asOfNow.size >= most) asOfNow.clear()
    asOfNow.set(name, domain)
    return domain
  }

  return { find: (name) => recent.get(name) ?? read(name) }
}
