import { contactCollection, type ContactRecord } from '../audiences/audience.ts'
import type { Store } from '../store/store.ts'
import type { LeftOut, LeftOutContact } from './types.ts'

/** How many contacts are named; the others are counted. */
export const maxLeftOut = 100

/** Collects the contacts that a broadcast leaves out. */
export interface LeftOutContacts {
  /** @param problem  Why the address of the contact cannot be sent to. */
  invalid(contact: ContactRecord, problem: string): void
  all(): LeftOut
}

/** Starts with the contacts that are not subscribed. */
export async function createLeftOutContacts(store: Store, audienceId: string): Promise<LeftOutContacts> {
  const query = { index: 'subscription', prefix: [audienceId, false] }
  const unsubscribedCount = await store.count(contactCollection, query)
  const { records: unsubscribed } = await store.page(contactCollection, { ...query, limit: maxLeftOut })
  const invalid: LeftOutContact[] = []
  let invalidCount = 0
  return {
    invalid({ id, email }, problem) {
      invalidCount++
      if (invalid.length < maxLeftOut) {
        invalid.push({ id, email, reason: 'invalid_address', message: `The address ${problem}` })
      }
    },
    all() {
      const others = unsubscribed.map(({ id, email }): LeftOutContact => {
        return { id, email, reason: 'unsubscribed', message: 'The contact is not subscribed' }
      })
      const contacts = [...invalid, ...others].slice(0, maxLeftOut)
      return { unsubscribed: unsubscribedCount, invalid_address: invalidCount, contacts }
    },
  }
}
