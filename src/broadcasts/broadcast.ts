import { untilCommitted } from '../store/repository.ts'
import {
  type Change,
  type Collection,
  type Store,
  type StoredRecord,
  insert,
  remove,
  update,
} from '../store/store.ts'
import type { BroadcastSummary } from './types.ts'

/** A broadcast as stored. Its emails have its id as a tag. */
export interface BroadcastRecord extends StoredRecord, BroadcastSummary {
  /** How many contacts ended their subscription by the link in one of its emails. */
  unsubscribed: number
}

export const broadcastCollection: Collection<BroadcastRecord> = {
  name: 'broadcasts',
  indexes: { audience: { on: ['audience_id', 'id'] } },
}

/** Stores a new broadcast, and removes the oldest ones beyond {@link maxBroadcasts}. */
export function keepBroadcast(store: Store, record: Omit<BroadcastRecord, 'version'>): Promise<void> {
  // If a concurrent call removes the same broadcasts, this one reads again.
  return untilCommitted(async () => {
    const surplus = (await store.count(broadcastCollection)) + 1 - maxBroadcasts
    const oldest = surplus > 0 ? (await store.page(broadcastCollection, { limit: surplus })).records : []
    await store.commit([
      insert(broadcastCollection, record),
      ...oldest.map(({ id, version }) => remove(broadcastCollection, id, version)),
    ])
  })
}

/** Sets the number of emails, when all are accepted. A broadcast that was removed meanwhile stays removed. */
export function setCount(store: Store, id: string, count: number): Promise<void> {
  return untilCommitted(async () => {
    const record = count > 0 ? await store.get(broadcastCollection, id) : null
    if (record) await store.commit([update(broadcastCollection, { ...record, count })])
  })
}

/** The change that counts one more unsubscribed contact, for the commit that unsubscribes it. */
export async function countUnsubscribed(store: Store, id: string): Promise<Change[]> {
  const record = await store.get(broadcastCollection, id)
  if (!record) return []
  return [update(broadcastCollection, { ...record, unsubscribed: record.unsubscribed + 1 })]
}

/** How many broadcasts are kept; their emails stay. */
const maxBroadcasts = 1000
