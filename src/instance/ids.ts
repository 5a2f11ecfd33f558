import type { Ids } from '../core/ids.ts'
import type { Store } from '../store/store.ts'
import { collections } from './collections.ts'

/** Makes every new id greater than all that are stored. */
export async function raiseIds(store: Store, ids: Ids): Promise<void> {
  for (const collection of collections) {
    const { records } = await store.page(collection, { direction: 'desc', limit: 1 })
    for (const { id } of records) ids.raiseTo(id)
  }
}

/** Makes every new id greater than the known ids of other instances, whose clocks may differ. */
export function followIds(store: Store, ids: Ids): void {
  store.changes((change) => {
    if (change.op === 'insert') ids.raiseTo(change.id)
  })
}
