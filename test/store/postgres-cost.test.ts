import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { sleep } from '../../src/core/machine.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { blobOf, insert, update } from '../../src/store/store.ts'
import type { PartitionedStore } from '../../src/store/partitioned-store.ts'
import { labels, note, notes } from '../contracts/notes.ts'
import { runSql, startPostgres, type TestServer } from '../support/postgres.ts'
import { openProxy } from './_postgres-proxy.ts'
import { line, lines, type Way, ways } from './_postgres-ways.ts'

let server: TestServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(async () => {
  await server.remove()
})

async function open(schema: string, base = server.url): Promise<PartitionedStore> {
  const store = await openPostgresStore({
    url: `${base}?schema=${schema}`,
    collections: [notes, labels, lines],
  })
  onTestFinished(() => store.close())
  return store
}

test('the number of all records is read, not counted, however it is asked for', async () => {
  const store = await open('counted')
  await store.commit([insert(notes, note(1)), insert(notes, note(2))])
  // A number that only the table of totals has.
  await runSql(server.url, "UPDATE counted.totals SET records = 7 WHERE collection = 'notes'")
  for (const query of [{}, { index: 'id' }, { prefix: [] }, { until: [] }, { direction: 'desc' as const }])
    expect(await store.count(notes, query), JSON.stringify(query)).toBe(7)
  for (const query of [{ until: [note(2).id] }, { prefix: [note(1).id] }, { index: 'due', prefix: [] }])
    expect(await store.count(notes, query), JSON.stringify(query)).toBeLessThanOrEqual(2)
})

test('commits find their records by indexes, also in tables without statistics', async () => {
  const store = await open('unknown')
  const stored = 4000
  const commits = 40
  await runSql(server.url, 'ALTER SYSTEM SET autovacuum = off')
  await runSql(server.url, 'SELECT pg_reload_conf()')
  // The statements are planned while the tables are empty.
  for (let n = 0; n < 20; n++) await change(n)
  for (let n = 20; n < stored; n += 500)
    await store.commit(Array.from({ length: 500 }, (_, at) => insert(notes, note(n + at))))
  const before = await scanned()
  for (let n = 0; n < commits; n++) await change(stored + 1000 + n)
  expect((await scanned()) - before).toBeLessThan(stored)

  async function change(n: number): Promise<void> {
    const { id } = note(n)
    await store.commit([insert(notes, note(n))], [blobOf(`${id}/raw`, 'bytes')])
    await store.commit([insert(lines, line(n))], [blobOf(`${line(n).id}/raw`, 'bytes')])
    await store.commit([update(notes, { ...note(n), version: 1 })], [blobOf(`${id}/raw`, 'others')])
  }

  /** How many rows of the tables with one row per record were read by scans. A connection reports this after a second. */
  async function scanned(): Promise<number> {
    await sleep(1100)
    await store.commit([insert(labels, { id: crypto.randomUUID(), title: crypto.randomUUID() })])
    await sleep(100)
    const [row] = await runSql(
      server.url,
      `SELECT sum(seq_tup_read)::float8 AS rows FROM pg_stat_user_tables
       WHERE schemaname = 'unknown' AND relname IN ('records_notes', 'records_lines', 'blobs')`,
    )
    return (row as { rows: number }).rows
  }
})

test.each([
  ['one statement', 1],
  ['a transaction', 2],
])('a commit by %s takes %d round trips', async (what, trips) => {
  const proxy = await openProxy(server)
  const store = await open(`trips_${trips}`, proxy.url)
  const way = ways[what] as Way
  // The first ones prepare their statements.
  for (let n = 0; n < 5; n++) await store.commit([way.insert(n)])
  const before = proxy.sent
  const commits = 100
  for (let n = 0; n < commits; n++) await store.commit([way.insert(100 + n)])
  // Between the commits, the instance looks for others every half second.
  expect((proxy.sent - before) / commits).toBeCloseTo(trips, 0)
})
