import { afterAll, beforeAll } from 'vitest'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import type { Collection, PartitionedStore, StoredRecord } from '../../src/store/store.ts'
import { describePartitions } from '../contracts/partitions.ts'
import { describeStoreContract } from '../contracts/store.ts'
import { startPostgres, type TestServer } from '../support/postgres.ts'

let server: TestServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

let opened = 0
/** A store in a schema of its own. */
function open(collections: readonly Collection<StoredRecord>[]): Promise<PartitionedStore> {
  return openPostgresStore({ url: `${server.url}?schema=s${++opened}`, collections })
}

describeStoreContract('in PostgreSQL', open)
describeStoreContract('a partition in PostgreSQL', async (collections) => {
  const store = await open(collections)
  return { ...store.partition('acc_1'), close: () => store.close() }
})
describePartitions('in PostgreSQL', open)
