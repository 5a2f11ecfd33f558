import { createPublicKey } from 'node:crypto'
import { dkimKeyCollection } from '../domains/dkim-keys.ts'
import { domainCollection } from '../domains/domain.ts'
import type { FindDkimKey } from '../mime/dkim/verify.ts'
import type { Store } from '../store/store.ts'

/**
 * Finds the public keys of the account's own domains, as their DNS records would publish them. Foreign domains have
 * none, because nothing is looked up.
 */
export function createKeyFinder(store: Store): FindDkimKey {
  return async (name, selector) => {
    const domain = await store.find(domainCollection, 'name', [name])
    if (!domain) return null
    const key = domain.dkim ?? (await store.get(dkimKeyCollection, 'shared'))
    if (!key || key.selector !== selector) return null
    return createPublicKey({ key: Buffer.from(key.public_key, 'base64'), format: 'der', type: 'spki' })
  }
}
