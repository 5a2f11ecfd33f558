import { describe } from 'vitest'
import type { Adapter } from '../support/adapters.ts'
import { describeOwnReads } from './own-reads.ts'
import { describePartitions, type OpenPartitioned } from './partitions.ts'
import { storeTest } from './store-test.ts'
import { describeStoreContract } from './store.ts'

/**
 * Describes what every adapter of the store does.
 *
 * @param database  Gives the URL of a database when a test runs, if the adapter needs one.
 */
export function describeAdapter(
  { title, needsDatabase = false, open: openAdapter }: Adapter,
  database: () => string | undefined = () => undefined,
): void {
  const open: OpenPartitioned = (collections) => openAdapter(collections, database())
  describeStoreContract(title, open)
  describeStoreContract(`a partition ${title}`, async (collections) => {
    const store = await open(collections)
    return { ...store.partition('acc_1'), close: () => store.close() }
  })
  describePartitions(title, open)
  // A database answers a read in the middle of a commit from before it or from after it.
  describe('what the process keeps itself', { skip: needsDatabase }, () => describeOwnReads(storeTest(open)))
}
