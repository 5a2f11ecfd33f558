import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { inspectSchema } from '../../src/store/postgres/inspect.ts'
import { blobOf, insert, put } from '../../src/store/store.ts'
import type { PartitionedStore } from '../../src/store/partitioned-store.ts'
import { labels, note, notes, pattern } from '../contracts/notes.ts'
import { runSql, startPostgres, type TestServer } from '../support/postgres.ts'
import { lines, ways } from './_postgres-ways.ts'

// The statements of a transaction are sent without waiting for each other, and COMMIT as well.

let server: TestServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(async () => {
  await server.remove()
})

async function open(url: string): Promise<PartitionedStore> {
  const store = await openPostgresStore({ url, collections: [notes, labels, lines] })
  onTestFinished(() => store.close())
  return store
}

/** A note that no index can have: its key is longer than an index allows, and cannot be compressed. */
const refused = (n: number): ReturnType<typeof note> => ({
  ...note(n),
  name: pattern(9000, n + 1).toString('base64'),
})

// The first one here: the driver warns once in a process.
test('neither the store nor the doctor uses the driver in a way that it warns of', async () => {
  const warnings: string[] = []
  const note = (warning: Error): void => void warnings.push(warning.message)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  const url = `${server.url}?schema=warned`
  const store = await open(url)
  await store.commit([insert(labels, { id: 'l', title: 't' })])
  await Promise.all([store.get(labels, 'l'), store.get(labels, 'm'), store.caughtUp()])
  await store.close()
  await inspectSchema({
    url,
    collections: [notes, labels],
    required: { collection: notes, blobsOf: () => [] },
  })
  // Warnings come in a later turn.
  await new Promise(setImmediate)
  expect(warnings).toEqual([])
})

test('a record that the database refuses fails its own commit, each time, and says why', async () => {
  const store = await open(`${server.url}?schema=refused`)
  for (let round = 0; round < 60; round++) {
    const [one, bad, other] = [1, 2, 3].map((n) => 10 * round + n) as [number, number, number]
    const ends = await Promise.allSettled(
      [note(one), refused(bad), note(other)].map((record) => store.commit([insert(notes, record)])),
    )
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(String((ends[1] as PromiseRejectedResult).reason)).toContain('index row')
  }
  expect(await store.count(notes, {})).toBe(120)
})

const writes = ['totals', 'changes', 'blobs', 'localpost', 'records'] as const
test.each(Object.entries(ways).flatMap(([what, way]) => writes.map((table) => [table, what, way] as const)))(
  'a full disk where the table %s is written by %s is reported as a full disk',
  async (table, what, way) => {
    const schema = `full_${table}_${what.replace(' ', '_')}`
    const store = await open(`${server.url}?schema=${schema}`)
    await store.commit([way.insert(1)])
    await failOn(schema, table === 'records' ? `records_${way.collection.name}` : table, 'INSERT OR UPDATE')
    for (let n = 2; n < 22; n++) {
      const commit = store.commit([way.insert(n)], [blobOf(`${way.id(n)}/raw`, 'bytes')])
      await expect(commit).rejects.toMatchObject({ code: 'store_full' })
    }
    expect(store.refusal()?.code).toBe('store_full')
    expect(await store.ids(way.collection)).toEqual([way.id(1)])
  },
)

test('a full disk while a partition with records in two tables is removed is reported as a full disk', async () => {
  const store = await open(`${server.url}?schema=removed`)
  const partition = store.partition('gone')
  await partition.commit([insert(labels, { id: 'l', title: 't' }), insert(notes, note(1))])
  await failOn('removed', 'totals', 'UPDATE')
  await expect(store.removePartition('gone')).rejects.toMatchObject({ code: 'store_full' })
  expect([await partition.count(labels, {}), await partition.count(notes, {})]).toEqual([1, 1])
})

test('nothing is stored if BEGIN fails', async () => {
  let isArmed = false
  const proxy = createServer((client) => {
    const database = connect(server.port, '127.0.0.1')
    for (const socket of [client, database]) socket.on('error', () => {})
    client.on('data', (bytes: Buffer) => {
      const at = isArmed ? bytes.indexOf('BEGIN\0') : -1
      if (at >= 0) {
        isArmed = false
        bytes.write('BEGIM', at)
      }
      database.write(bytes)
    })
    // As if the statement had been cancelled.
    database.on('data', (bytes: Buffer) => {
      const at = bytes.indexOf('C42601\0')
      if (at >= 0) bytes.write('C57014', at)
      client.write(bytes)
    })
    client.on('close', () => database.destroy())
    database.on('close', () => client.destroy())
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => void proxy.close())
  const { port } = proxy.address() as { port: number }
  const store = await open(`${server.url.replace(String(server.port), String(port))}?schema=begun`)
  await store.commit([put(notes, note(1))])
  // A new connection prepares BEGIN again.
  await runSql(
    server.url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'localpost'",
  )
  isArmed = true
  let ends: unknown
  for (let tries = 0; isArmed && tries < 20; tries++)
    ends = await store
      .commit([put(labels, { id: 'l', title: 't' }), put(notes, refused(2))])
      .catch((error) => error)
  expect(isArmed).toBe(false)
  expect(ends).toMatchObject({ code: 'service_unavailable' })
  expect(await store.get(labels, 'l')).toBeNull()
  await store.commit([put(labels, { id: 'l', title: 't' })])
  expect((await store.get(labels, 'l'))?.version).toBe(1)
})

/** Lets an operation on a table fail as on a full disk. */
async function failOn(schema: string, table: string, operation: string): Promise<void> {
  await runSql(
    server.url,
    `CREATE FUNCTION ${schema}.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100';
     END $$`,
  )
  await runSql(
    server.url,
    `CREATE TRIGGER fail BEFORE ${operation} ON ${schema}.${table} FOR EACH ROW EXECUTE FUNCTION ${schema}.fail()`,
  )
}
