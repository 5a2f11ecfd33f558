import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { sleep } from '../../src/core/machine.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { blobOf, insert, put, remove } from '../../src/store/store.ts'
import type { PartitionedStore } from '../../src/store/partitioned-store.ts'
import { notes, pattern } from '../contracts/notes.ts'
import { randomOf } from '../support/random.ts'
import { createDatabase, runSql, startPostgres, type TestServer } from '../support/postgres.ts'
import { openProxy } from './_postgres-proxy.ts'
import { line, lines, ways } from './_postgres-ways.ts'

// Commits that wait at the same time share a transaction.

let server: TestServer
let schemas = 0
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

const freshUrl = (base = server.url): string => `${base}?schema=batches_${++schemas}`

async function open(url: string): Promise<PartitionedStore> {
  const store = await openPostgresStore({ url, collections: [lines, notes] })
  onTestFinished(() => store.close())
  return store
}

test('an insert of a record that is there is refused alone, with its blobs', async () => {
  const store = await open(freshUrl())
  await store.commit([insert(lines, line(1))], [blobOf('l_1/raw', 'first')])
  const conflict = { code: 'unique_conflict' }
  await expect(store.commit([insert(lines, line(1))])).rejects.toMatchObject(conflict)
  const again = store.commit([insert(lines, line(1, 'other'))], [blobOf('l_1/raw', 'second')])
  const ends = await Promise.allSettled([
    store.commit([insert(lines, line(2))], [blobOf('l_2/raw', 'of 2')]),
    again,
    store.commit([insert(lines, line(3)), insert(lines, line(3))]),
    store.commit([insert(lines, line(4)), insert(lines, line(1))]),
    store.commit([insert(lines, line(5))]),
  ])
  expect(ends.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'rejected',
    'fulfilled',
  ])
  for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject(conflict)
  expect(await store.ids(lines)).toEqual(['l_1', 'l_2', 'l_5'])
  expect(await store.get(lines, 'l_1')).toMatchObject({ words: 'some', version: 1 })
  expect(String(await store.readBlob('l_1/raw'))).toBe('first')
  expect(await store.count(lines)).toBe(3)
})

test('commits that follow each other without waiting are stored in their order, also around refused ones', async () => {
  const next = randomOf(5)
  const pick = (below: number): number => Math.floor(next() * below)
  const url = freshUrl()
  const store = await open(url)
  const expected = new Map<string, string>()
  const running: Promise<void>[] = []
  for (let step = 0; step < 1500; step++) {
    const one = line(pick(40), `step ${step}`)
    if (pick(3) === 0) {
      expected.delete(one.id)
      running.push(store.commit([remove(lines, one.id)]))
    } else if (pick(3) > 0) {
      expected.set(one.id, one.words)
      running.push(store.commit([put(lines, one)]))
    } else if (expected.has(one.id)) {
      running.push(
        expect(store.commit([insert(lines, one)])).rejects.toMatchObject({ code: 'unique_conflict' }),
      )
    } else {
      expected.set(one.id, one.words)
      running.push(store.commit([insert(lines, one)]))
    }
    // No index can have it, so its transaction fails.
    if (pick(20) === 0) {
      const refused = { ...line(1000 + step), words: pattern(9000, step + 1).toString('base64') }
      running.push(expect(store.commit([insert(lines, refused)])).rejects.toThrow('index row'))
    }
    if (pick(4) === 0) await sleep(pick(3))
  }
  await Promise.all(running)
  const stored = (await store.page(lines, { limit: 1000 })).records
  expect(new Map(stored.map(({ id, words }) => [id, words]))).toEqual(expected)
  expect(await store.count(lines)).toBe(expected.size)
  await expectNoTransactions(url)
})

test('a commit that is refused because of another one is stored if that one is not stored', async () => {
  const store = await open(freshUrl())
  const refused = { ...line(9), words: pattern(9000).toString('base64') }
  const [first, second] = await Promise.allSettled([
    store.commit([insert(lines, line(1)), insert(lines, refused)]),
    store.commit([insert(lines, line(1))]),
  ])
  expect(String(first.status === 'rejected' && first.reason)).toContain('index row')
  expect(second.status).toBe('fulfilled')
  expect(await store.ids(lines)).toEqual(['l_1'])
})

test('one record that is there among many new ones is refused alone, after few transactions', async () => {
  const url = freshUrl()
  const store = await open(url)
  await store.commit([insert(lines, line(77))])
  const transactions = async (): Promise<number> => {
    const [row] = await runSql(server.url, `SELECT batch::int4 AS batch FROM ${url.split('=')[1]}.instances`)
    return (row as { batch: number }).batch
  }
  const before = await transactions()
  const ends = await Promise.allSettled(
    Array.from({ length: 200 }, (_, n) =>
      store.commit([insert(lines, line(n))], [blobOf(`l_${n}/raw`, `${n}`)]),
    ),
  )
  expect(ends.flatMap(({ status }, n) => (status === 'rejected' ? [n] : []))).toEqual([77])
  expect(await transactions()).toBeLessThan(before + 10)
  expect(await store.count(lines)).toBe(200)
  expect(await store.readBlob('l_77/raw')).toBeNull()
  expect(String(await store.readBlob('l_78/raw'))).toBe('78')
})

test.each(['serializable', 'repeatable read'])(
  'instances store together where the database has the isolation %s by default',
  async (isolation) => {
    const database = new URL(await createDatabase(server))
    const name = database.pathname.slice(1)
    await runSql(server.url, `ALTER DATABASE "${name}" SET default_transaction_isolation = '${isolation}'`)
    const url = freshUrl(database.href)
    const stores = [await open(url), await open(url)]
    await Promise.all(
      stores.flatMap((store, at) =>
        Object.values(ways).map(async (way) => {
          for (let n = 0; n < 100; n++) await store.commit([way.insert(1000 * at + n)])
        }),
      ),
    )
    for (const { collection } of Object.values(ways)) expect(await stores[0]?.count(collection)).toBe(200)
  },
)

test('instances that store at the same time number their commits without gaps, and hear each once in its order', async () => {
  const url = freshUrl()
  const stores = [await open(url), await open(url), await open(url)]
  const heard = stores.map((store) => {
    const seqs: number[] = []
    store.changes((change) => change.op !== 'gap' && seqs.push(change.seq))
    return seqs
  })
  const next = randomOf(7)
  const plans = stores.map(() => Array.from({ length: 300 }, () => Object.values(ways)[next() < 0.3 ? 1 : 0]))
  await Promise.all(
    stores.map(async (store, at) => {
      const running: Promise<void>[] = []
      for (const [n, way] of plans[at]?.entries() ?? []) {
        if (way) running.push(store.commit([way.insert(1000 * at + n)]))
        if (n % 5 === 0) await sleep(1)
      }
      await Promise.all(running)
    }),
  )
  await Promise.all(stores.map((store) => store.caughtUp()))
  const all = Array.from({ length: 900 }, (_, n) => n + 1)
  for (const seqs of heard) expect(seqs).toEqual(all)
  expect((await stores[0]?.count(lines)) ?? 0).toBe(
    plans.flat().filter((way) => way === ways['one statement']).length,
  )
})

const cuts = [
  ['before', false],
  ['after', true],
] as const

test.each(
  Object.entries(ways).flatMap(([what, way]) =>
    cuts.map(([when, passes]) => [when, what, way, passes] as const),
  ),
)(
  'if a connection is cut %s %s is committed at the server while other commits wait, all get true answers',
  async (_, __, way, passes) => {
    const proxy = await openProxy(server)
    const url = freshUrl(proxy.url)
    const store = await open(url)
    await store.commit([way.insert(0)])
    const answers = new Map<string, boolean>()
    for (let round = 1; round <= 10; round++) {
      await expect.poll(() => store.refusal(), { timeout: 20_000 }).toBeNull()
      proxy.cutAtCommit(passes)
      await Promise.all(
        Array.from({ length: 12 }, async (_, n) => {
          const at = 100 * round + n
          await sleep(n % 4)
          const isStored = await store.commit([way.insert(at)]).then(
            () => true,
            (error: unknown) => {
              expect(error).toMatchObject({ code: 'service_unavailable' })
              return false
            },
          )
          answers.set(way.id(at), isStored)
        }),
      )
    }
    expect(proxy.cuts).toBe(10)
    const stored = new Set(await store.ids(way.collection))
    for (const [id, isStored] of answers) expect(stored.has(id), id).toBe(isStored)
    expect([...answers.values()].filter((isStored) => !isStored).length > 0).toBe(!passes)
    await expectNoTransactions(url)
  },
  60_000,
)

test('commits that wait at the close of the store are stored, and nothing stays open', async () => {
  const url = freshUrl()
  const store = await openPostgresStore({ url, collections: [lines] })
  const commits = Array.from({ length: 300 }, async (_, n) => {
    await sleep(n / 20)
    await store.commit([insert(lines, line(n))])
  })
  const ended = Promise.allSettled(commits)
  await sleep(8)
  await store.close()
  const ends = await ended
  const stored = ends.filter(({ status }) => status === 'fulfilled').length
  const other = await open(url)
  expect(await other.count(lines)).toBe(stored)
  await expectNoTransactions(url)
})

/** Fails if the connections of a store keep a transaction open, which would hold its locks. */
async function expectNoTransactions(url: string): Promise<void> {
  const schema = url.split('=')[1] ?? ''
  await expect
    .poll(async () => {
      const [row] = await runSql(
        server.url,
        `SELECT count(*)::int4 AS open FROM pg_locks JOIN pg_class ON pg_class.oid = relation
         WHERE relnamespace = '${schema}'::regnamespace AND pid <> pg_backend_pid()`,
      )
      return (row as { open: number }).open
    })
    .toBe(0)
}
