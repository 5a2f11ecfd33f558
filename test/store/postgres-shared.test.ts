import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { systemProcesses } from '../../src/store/lock/processes.ts'
import { Connection } from '../../src/store/postgres/connection.ts'
import { openPool } from '../../src/store/postgres/driver.ts'
import { tryToLead } from '../../src/store/postgres/leadership.ts'
import { Membership } from '../../src/store/postgres/membership.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { blobOf, insert, put, remove, type StoreChange, update } from '../../src/store/store.ts'
import type { PartitionedStore } from '../../src/store/partitioned-store.ts'
import { labels, note, notes, pattern } from '../contracts/notes.ts'
import { runSql, startPostgres, type TestServer } from '../support/postgres.ts'
import { transact } from '../../src/store/postgres/transaction.ts'

let server: TestServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

let schemas = 0
/** Opens instances that share a schema. */
async function openShared(count: number): Promise<{ stores: PartitionedStore[]; schema: string }> {
  const schema = `shared${++schemas}`
  const stores: PartitionedStore[] = []
  for (let n = 0; n < count; n++) {
    const store = await openPostgresStore({
      url: `${server.url}?schema=${schema}`,
      collections: [notes, labels],
    })
    onTestFinished(() => store.close())
    stores.push(store)
  }
  return { stores, schema }
}

function hear(store: Pick<PartitionedStore, 'changes'>): StoreChange[] {
  const heard: StoreChange[] = []
  store.changes((change) => heard.push(change))
  return heard
}

test('the lease of a machine that slept has expired when it wakes up, although one of its clocks stood still', async () => {
  const { stores, schema } = await openShared(1)
  await stores[0]?.close()
  const pool = await openPool(server.url, { max: 1, isPipelined: true })
  onTestFinished(() => pool.end())
  let now = { elapsed: 0, wall: 1_000_000 }
  const membership = new Membership(systemProcesses, () => now)
  const connection = new Connection(pool, schema)
  await membership.join(connection)
  const { lease } = membership
  await tryToLead(membership, pool, schema)
  expect(lease.isMine()).toBe(true)
  now = { elapsed: 10, wall: now.wall + 60_000 }
  expect(lease.isMine()).toBe(false)
  // No other instance took over.
  lease.renewed(await transact(pool, schema, (sql) => membership.renew(sql)))
  expect(lease.isMine()).toBe(true)
  // A clock that is set back extends nothing.
  now = { elapsed: 9000, wall: 0 }
  expect(lease.isMine()).toBe(false)
})

describe('instances that share a schema', () => {
  test('are each told of every change once, in the same order, also while notifications are lost', async () => {
    const { stores, schema } = await openShared(3)
    const heard = stores.map(hear)
    const inPartition = stores.map((store) => hear(store.partition('acc_1')))
    let cuts = 0
    const cutting = setInterval(() => {
      cuts++
      void runSql(
        server.url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN "localpost_%'`,
      )
    }, 150)
    onTestFinished(() => clearInterval(cutting))
    await Promise.all(
      stores.map(async (store, writer) => {
        for (let n = 0; n < 60; n++) {
          const id = writer * 1000 + n
          await store.commit([insert(notes, note(id))])
          if (n % 5 === 0) await store.partition('acc_1').commit([insert(notes, note(id))])
          if (n % 7 === 0) await store.commit([remove(notes, note(id).id)])
          if (n % 20 === 19) {
            const ids = Array.from({ length: 120 }, (_, k) => note(writer * 1000 + 500 + k).id)
            await store.commit(ids.map((_, k) => put(notes, note(writer * 1000 + 500 + k))))
            await store.bulk(notes, ids, 'remove')
          }
        }
      }),
    )
    clearInterval(cutting)
    expect(cuts).toBeGreaterThan(1)
    const [{ seq }] = (await runSql(server.url, `SELECT seq::int FROM ${schema}.localpost`)) as [
      { seq: number },
    ]
    await expect.poll(() => heard.map((list) => list.at(-1)?.seq)).toEqual([seq, seq, seq])
    const [first = []] = heard
    expect(first.map((change) => change.seq)).toEqual(
      first.map((change) => change.seq).toSorted((a, b) => a - b),
    )
    expect(heard[1]).toEqual(first)
    expect(heard[2]).toEqual(first)
    expect(first.filter(({ op }) => op === 'insert')).toHaveLength(180 + 9 * 120)
    expect(first.filter((change) => change.op === 'bulk' && change.isLast)).toHaveLength(9)
    expect(inPartition[0]).toHaveLength(36)
    expect(inPartition[1]).toEqual(inPartition[0])
    for (const store of stores) {
      expect(store.partitions()).toEqual(['acc_1'])
      expect(await store.count(notes)).toBe(180 - 27)
    }
  })

  test('see a commit as soon as another instance acknowledged it, and detect conflicts between instances', async () => {
    const { stores } = await openShared(2)
    const [a, b] = stores as [PartitionedStore, PartitionedStore]
    for (let round = 0; round < 20; round++) {
      const results = await Promise.allSettled([
        a.commit([insert(notes, note(round, { name: `a${round}` }))]),
        b.commit([insert(notes, note(round, { name: `b${round}` }))]),
      ])
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      const [seenByA, seenByB] = await Promise.all([
        a.get(notes, note(round).id),
        b.get(notes, note(round).id),
      ])
      expect(seenByA).toEqual(seenByB)
      if (!seenByA) throw new Error('A record that was stored is missing.')
      const updates = await Promise.allSettled(stores.map((store) => store.commit([update(notes, seenByA)])))
      expect(updates.filter(({ status }) => status === 'rejected')).toMatchObject([
        { reason: { code: 'version_conflict' } },
      ])
    }
  })

  test('report a gap where changes are missing, and continue after it', async () => {
    const { stores, schema } = await openShared(2)
    const [a, b] = stores as [PartitionedStore, PartitionedStore]
    await a.partition('acc_1').commit([insert(notes, note(1))])
    await expect.poll(() => b.partitions()).toEqual(['acc_1'])
    const heard = [hear(a), hear(b), hear(b.partition('acc_1'))]
    const foreign: string[] = []
    b.onForeignChange((partition) => foreign.push(partition))
    await runSql(server.url, `UPDATE ${schema}.localpost SET seq = seq + 5`)
    await a.commit([insert(notes, note(2))])
    await expect
      .poll(() => heard.map((list) => list.map(({ op }) => op)))
      .toEqual([['gap'], ['gap'], ['gap']])
    await a.commit([insert(notes, note(3))])
    await expect.poll(() => heard.map((list) => list.length)).toEqual([2, 2, 1])
    expect(heard[1]?.at(-1)).toMatchObject({ op: 'insert', id: note(3).id })
    expect(new Set(foreign)).toEqual(new Set(['', 'acc_1']))
    expect(b.partitions()).toEqual(['acc_1'])
  })
})

test('commits finish although other calls constantly wait for all earlier commits to be known', async () => {
  const { stores } = await openShared(1)
  const [store] = stores
  if (!store) throw new Error('One store was opened.')
  let isOver = false
  // Requests do so: with several of them, one is always waiting.
  const asking = Array.from({ length: 4 }, async (_, n) => {
    await new Promise((resolve) => setTimeout(resolve, n))
    while (!isOver) await store.caughtUp()
  })
  try {
    for (let n = 0; n < 20; n++)
      expect(await Promise.race([store.commit([insert(notes, note(n))]).then(() => 'stored'), late()])).toBe(
        'stored',
      )
  } finally {
    isOver = true
    await Promise.all(asking)
  }
})

const late = (): Promise<string> =>
  new Promise((resolve) => setTimeout(() => resolve('late'), 10_000).unref())

test('a partition is removed in few commits, and each instance is told of them', async () => {
  const { stores, schema } = await openShared(2)
  const [a, b] = stores as [PartitionedStore, PartitionedStore]
  const gone = a.partition('gone')
  const numbers = Array.from({ length: 2500 }, (_, n) => n)
  await gone.commit(numbers.map((n) => insert(notes, note(n))))
  for (const [n, size] of [10, 300_000].entries())
    await gone.commit(
      [update(notes, { ...note(n), version: 1 })],
      [blobOf(`${note(n).id}/raw`, pattern(size))],
    )
  await gone.commit([insert(labels, { id: 'l', title: 't' })])
  await a.partition('stays').commit([insert(notes, note(1))], [blobOf(`${note(1).id}/raw`, 'kept')])
  await b.partition('gone').caughtUp()
  const heard = [a, b].map((store) => hear(store.partition('gone')))
  const before = (await a.database())?.last_commit ?? 0
  await a.removePartition('gone')
  // Three of at most 1,000 records, and one for the end of each collection.
  expect((await a.database())?.last_commit).toBe(before + 5)
  const told = [
    ...[1000, 1000, 500].map((removed) => ['notes', removed, false]),
    ['labels', 1, false],
    ['notes', 0, true],
    ['labels', 0, true],
  ]
  const tellOf = (change: StoreChange): unknown =>
    change.op === 'bulk' ? [change.collection, change.removed, change.isLast] : change
  for (const list of heard) await expect.poll(() => list.map(tellOf)).toEqual(told)
  for (const store of stores) {
    expect(store.partitions()).toEqual(['stays'])
    expect(await store.partition('gone').count(notes)).toBe(0)
    expect((await store.partition('stays').readBlob(`${note(1).id}/raw`))?.toString()).toBe('kept')
  }
  const left = (table: string): Promise<unknown[]> =>
    runSql(server.url, `SELECT count(*)::int AS count FROM ${schema}.${table}`)
  expect(await left("blobs WHERE partition = 'gone'")).toEqual([{ count: 0 }])
  expect(await left('unused')).toEqual([{ count: 1 }])
})

describe('the leader', () => {
  test('is one instance at a time, and another one at once when that one is closed', async () => {
    const { stores } = await openShared(3)
    const mine = (): boolean[] => stores.map(({ leadership }) => leadership.isMine())
    expect(mine()).toEqual([true, false, false])
    const called: number[] = []
    stores.forEach(({ leadership }, n) => leadership.onMine(() => called.push(n)))
    await stores[0]?.close()
    await expect.poll(() => mine().filter(Boolean).length).toBe(1)
    await stores[mine().indexOf(true)]?.close()
    await expect.poll(() => mine().filter(Boolean).length).toBe(1)
    expect(called.toSorted()).toEqual([1, 2])
  })

  test('changes if its instance stops responding, and a commit that fails there is not stored', async () => {
    const { stores, schema } = await openShared(2)
    const [a, b] = stores as [PartitionedStore, PartitionedStore]
    await runSql(
      server.url,
      `UPDATE ${schema}.instances SET until = now() - interval '1 second', holder = 'elsewhere' WHERE has_turn`,
    )
    await expect.poll(() => b.leadership.isMine()).toBe(true)
    // The first transaction or the next look finds out, whichever comes first, and it is reported once.
    const first = await a.commit([insert(notes, note(1))]).then(
      () => null,
      (error: unknown) => error,
    )
    if (first !== null) expect(first).toMatchObject({ code: 'service_unavailable' })
    expect(a.leadership.isMine()).toBe(false)
    expect(await b.count(notes)).toBe(first === null ? 1 : 0)
    await expect.poll(() => a.refusal()).toBeNull()
    await a.commit([insert(notes, note(2))])
    expect(await b.get(notes, note(2).id)).not.toBeNull()
  })
})
