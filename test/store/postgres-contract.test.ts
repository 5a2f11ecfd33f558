import { afterAll, beforeAll } from 'vitest'
import { describeAdapter } from '../contracts/adapter.ts'
import { describeLargeContract } from '../contracts/large.ts'
import { adapters } from '../support/adapters.ts'
import { startPostgres, type TestServer } from '../support/postgres.ts'

let server: TestServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

for (const adapter of Object.values(adapters)) {
  if (!adapter.needsDatabase) continue
  describeAdapter(adapter, () => server.url)
  describeLargeContract(adapter.title, (collections) => adapter.open(collections, server.url))
}
