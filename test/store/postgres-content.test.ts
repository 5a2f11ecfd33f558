import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { type Blob, type BlobWriter, blobOf, insert, remove, type Store } from '../../src/store/store.ts'
import type { PartitionedStore } from '../../src/store/partitioned-store.ts'
import { type Note, note, notes, labels, pattern } from '../contracts/notes.ts'
import { runSql, startPostgres, type TestServer } from '../support/postgres.ts'

let server: TestServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(async () => {
  await server.remove()
})

let schemas = 0
/** The URL of a schema that no other test uses. */
function freshUrl(): string {
  return `${server.url}?schema=f${++schemas}`
}

async function open(url: string): Promise<PartitionedStore> {
  const store = await openPostgresStore({ url, collections: [notes, labels] })
  onTestFinished(() => store.close())
  return store
}

test('a large blob of which a piece is lost is damaged, in each way of reading', async () => {
  const url = freshUrl()
  const store = await open(url)
  await store.commit([insert(notes, note(1))], [blobOf('n_00001/message', pattern(1_200_000))])
  await runSql(server.url, `DELETE FROM f${schemas}.pieces WHERE place = 1`)
  const damaged = { code: 'store_corrupt', message: expect.stringContaining('n_00001/message') as unknown }
  await expect(store.readBlob('n_00001/message')).rejects.toMatchObject(damaged)
  const stream = await store.openBlob('n_00001/message')
  await expect(stream?.toArray()).rejects.toMatchObject(damaged)
  expect(await store.blobSize('n_00001/message')).toBe(1_200_000)
})

describe('a large blob that is discarded', () => {
  const bytes = pattern(1_200_000)
  const id = 'n_00001/message'

  async function written(store: Store): Promise<{ writer: BlobWriter; blob: Blob }> {
    const writer = store.createBlob(id)
    await writer.write(bytes)
    return { writer, blob: await writer.finish() }
  }

  test('after its commit and its removal is read to the end', async () => {
    const store = await open(freshUrl())
    const { writer, blob } = await written(store)
    await store.commit([insert(notes, note(1))], [blob])
    const stream = await store.openBlob(id)
    await store.commit([remove(notes, note(1).id)])
    await writer.discard()
    expect(Buffer.concat((await stream?.toArray()) ?? []).equals(bytes)).toBe(true)
  })

  test('while its commit runs is stored whole', async () => {
    const store = await open(freshUrl())
    const { writer, blob } = await written(store)
    const other = new Client({ connectionString: server.url })
    await other.connect()
    onTestFinished(() => other.end())
    // Writes of blobs wait; reads do not.
    await other.query(`BEGIN; LOCK TABLE f${schemas}.blobs IN SHARE MODE`)
    const waiting = async (): Promise<number> =>
      (await runSql(server.url, 'SELECT FROM pg_locks WHERE NOT granted')).length
    const committing = store.commit([insert(notes, note(1))], [blob])
    await expect.poll(waiting).toBe(1)
    let isDone = false
    const discarding = writer.discard().then(() => (isDone = true))
    await expect.poll(async () => isDone || (await waiting()) > 1).toBe(true)
    await other.query('COMMIT')
    await Promise.all([committing, discarding])
    expect((await store.readBlob(id))?.equals(bytes)).toBe(true)
  })

  test('without a commit leaves nothing, and fails nothing if the database is away', async () => {
    const store = await open(freshUrl())
    const { writer } = await written(store)
    const left = (): Promise<unknown[]> =>
      runSql(server.url, `SELECT FROM f${schemas}.pieces UNION ALL SELECT FROM f${schemas}.unused`)
    await writer.discard()
    expect(await left()).toEqual([])
    const { writer: second } = await written(store)
    await runSql(server.url, `ALTER TABLE f${schemas}.unused RENAME TO away`)
    await second.discard()
  })
})

describe('hostile content', () => {
  const texts = [
    '\0',
    'a\0b',
    '\ud800',
    '\udfff tail',
    '\u001f\u001e',
    '\\0041',
    "'; DROP TABLE x; --",
    '"',
    '{NULL}',
    '😀',
    'ÿ',
    '\uffff',
  ]

  test('members with NUL, lone surrogates and SQL come back as they were, are found and sorted as in memory', async () => {
    const store = await open(freshUrl())
    const given = texts.map((text, n) => note(n, { name: `${text}${n}`, group: text, tags: [text, 'x'] }))
    await store.commit(given.map((one) => insert(notes, one)))
    for (const one of given) {
      expect(await store.get(notes, one.id)).toEqual({ ...one, version: 1 })
      expect(await store.find(notes, 'name', [one.group, one.name])).toMatchObject({ id: one.id })
      expect(await store.count(notes, { index: 'name', prefix: [one.group] })).toBe(1)
      expect(await store.ids(notes, { where: { member: 'tags', contains: one.group } })).toContain(one.id)
    }
    const sorted = given.toSorted((a, b) => (a.group < b.group ? -1 : 1)).map(({ id }) => id)
    expect(await store.ids(notes, { index: 'name' })).toEqual(sorted)
    for (const text of texts) expect(await store.get(notes, text)).toBeNull()
  })

  test('a record that the database refuses does not fail those that share its transaction', async () => {
    const store = await open(freshUrl())
    // A key of an index has at most some 2,700 bytes.
    const long = { ...note(2), name: pattern(9000).toString('base64') } satisfies Omit<Note, 'version'>
    const results = await Promise.allSettled([
      store.commit([insert(notes, note(1))]),
      store.commit([insert(notes, long)]),
      store.commit([insert(notes, note(3))]),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await store.ids(notes)).toEqual(['n_00001', 'n_00003'])
  })

  test('40 MB in one blob come back byte for byte, in whole and in part', async () => {
    const store = await open(freshUrl())
    const bytes = pattern(40_000_000)
    const writer = store.createBlob('n_00001/raw')
    for (let at = 0; at < bytes.length; at += 1_000_003)
      await writer.write(bytes.subarray(at, at + 1_000_003))
    await store.commit([insert(notes, note(1))], [await writer.finish()])
    const [whole, part] = await Promise.all([
      store.readBlob('n_00001/raw'),
      readAll(store, 20_000_001, 20_700_001),
    ])
    expect(whole?.equals(bytes)).toBe(true)
    expect(part.equals(bytes.subarray(20_000_001, 20_700_001))).toBe(true)
  })

  async function readAll(store: Store, start: number, end: number): Promise<Buffer> {
    const stream = await store.openBlob('n_00001/raw', { start, end })
    return Buffer.concat((await stream?.toArray()) ?? [])
  }
})
