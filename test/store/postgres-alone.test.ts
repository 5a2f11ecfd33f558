import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { sleep } from '../../src/core/machine.ts'
import { systemProcesses } from '../../src/store/lock/processes.ts'
import { Connection } from '../../src/store/postgres/connection.ts'
import { openPool } from '../../src/store/postgres/driver.ts'
import { insertNew } from '../../src/store/postgres/insert-new.ts'
import { tryToLead } from '../../src/store/postgres/leadership.ts'
import { Membership } from '../../src/store/postgres/membership.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { Table } from '../../src/store/postgres/table.ts'
import { insert } from '../../src/store/store.ts'
import type { PartitionedStore } from '../../src/store/partitioned-store.ts'
import { labels, note, notes } from '../contracts/notes.ts'
import { runSql, startPostgres, type TestServer } from '../support/postgres.ts'
import { line, lines, ways } from './_postgres-ways.ts'
import type { Moment } from '../../src/store/postgres/lease.ts'

// The only instance of a schema does not ask the database whether another one has stored something.

let server: TestServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

async function open(schema: string): Promise<PartitionedStore> {
  const store = await openPostgresStore({
    url: `${server.url}?schema=${schema}`,
    collections: [notes, labels, lines],
  })
  onTestFinished(() => store.close())
  return store
}

/** Whether the store knows that it has everything without asking the database. */
async function knowsAtOnce(store: PartitionedStore): Promise<boolean> {
  let knows = false
  const caughtUp = store.caughtUp().then(() => (knows = true))
  // An answer of the database would take a turn of the event loop.
  for (let n = 0; n < 10; n++) await Promise.resolve()
  const atOnce = knows
  await caughtUp
  return atOnce
}

let numbers = 0
const next = (): ReturnType<typeof note> => note(++numbers)

test('an instance asks after others only if there may be one', async () => {
  const a = await open('asks')
  const commitAndAsk = async (): Promise<boolean> => {
    await a.commit([insert(notes, next())])
    return await knowsAtOnce(a)
  }
  await expect.poll(commitAndAsk).toBe(true)
  const b = await open('asks')
  expect(await commitAndAsk()).toBe(false)
  await b.close()
  await expect.poll(commitAndAsk).toBe(true)
  // One that ended without saying so, until the leader removes its row.
  await runSql(server.url, "INSERT INTO asks.instances (id, holder, until) VALUES ('killed', '', now())")
  expect(await commitAndAsk()).toBe(false)
})

test('what an instance acknowledges between its start and its end is known at one that was alone', async () => {
  const a = await open('between')
  const heard = new Set<string>()
  a.changes((change) => 'id' in change && heard.add(change.id))
  for (let round = 0; round < 8; round++) {
    // It knows that it is alone just before the other one opens.
    await a.commit([insert(notes, next())])
    const b = await open('between')
    const [first, last] = [next(), next()]
    await b.commit([insert(notes, first)])
    await a.caughtUp()
    expect(heard.has(first.id), `round ${round}`).toBe(true)
    await b.commit([insert(notes, last)])
    await b.close()
    await a.caughtUp()
    expect(heard.has(last.id), `round ${round}`).toBe(true)
  }
})

test.each(Object.entries(ways))(
  'an instance that was taken for gone stores nothing by %s before the others know of it again',
  async (what, way) => {
    const schema = `gone_${what.replace(' ', '_')}`
    const [a, b] = [await open(schema), await open(schema)]
    await b.commit([way.insert(9001)])
    await runSql(server.url, `DELETE FROM ${schema}.instances WHERE NOT has_turn`)
    await expect.poll(async () => (await a.commit([insert(notes, next())]), await knowsAtOnce(a))).toBe(true)
    await expect(b.commit([way.insert(9002)])).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('removed it from their list') as unknown,
    })
    expect(await a.get(way.collection, way.id(9002))).toBeNull()
    await expect.poll(() => b.refusal()).toBeNull()
    const heard: string[] = []
    a.changes((change) => 'id' in change && heard.push(change.id))
    await b.commit([way.insert(9003)])
    await a.caughtUp()
    expect(heard).toContain(way.id(9003))
  },
)

test('a commit that began before the row was removed and added again is refused', async () => {
  const { membership, sql } = await member('again')
  await membership.enter(sql)
  await sql.run(`DELETE FROM ${sql.name('instances')}`)
  // Another transaction of the same instance finds out first.
  await expect(membership.renew(sql)).rejects.toMatchObject({ code: 'service_unavailable' })
  await membership.join(sql)
  await membership.renew(sql, 7)
  expect(() => membership.assertIn()).toThrow('removed it from their list')
  await membership.enter(sql)
  expect(() => membership.assertIn()).not.toThrow()
  expect(await membership.settle(sql, 7)).toBe(true)
})

test('one statement stores nothing where the row was added again, another instance leads, or the number is settled', async () => {
  const { membership, sql, pool } = await member('statement')
  const schema = 'statement'
  const table = new Table(lines, schema)
  let n = 0
  const store = async (batch: number): Promise<number | null> => {
    const record = { ...line(++n), version: 1 }
    const rows = [table.rowOf(record, JSON.stringify(record))]
    const commit = { partition: '', rows, blobs: [] }
    const done = await insertNew({ pool, schema, membership }, table, [commit], batch, () => {})
    return done && (done.stored[0]?.seq ?? null)
  }
  const instances = sql.name('instances')
  const setTurn = `UPDATE ${instances} SET has_turn = $2 WHERE id = $1`
  await membership.enter(sql)
  expect(await store(membership.nextBatch())).toBe(1)
  // It leads, as far as it knows.
  await tryToLead(membership, pool, schema)
  expect(membership.lease.isMine()).toBe(true)
  expect(await store(membership.nextBatch())).toBe(2)
  await sql.run(setTurn, [membership.id, false])
  expect(await store(membership.nextBatch())).toBeNull()
  await sql.run(setTurn, [membership.id, true])
  // A number that was looked up before the statement arrives, and one that is used a second time.
  const late = membership.nextBatch()
  expect(await membership.settle(sql, late)).toBe(false)
  expect(await membership.settle(sql, late)).toBe(false)
  expect(await store(late)).toBeNull()
  const batch = membership.nextBatch()
  expect(await store(batch)).toBe(3)
  expect(await store(batch)).toBeNull()
  expect(await membership.settle(sql, batch)).toBe(true)
  // A half-done restore: without a number for the commit, nothing is stored, and nothing says that it was.
  await sql.run(`ALTER TABLE ${sql.name('localpost')} RENAME TO kept`)
  await sql.run(`CREATE TABLE ${sql.name('localpost')} (LIKE ${sql.name('kept')})`)
  const uncounted = membership.nextBatch()
  expect(await store(uncounted)).toBeNull()
  expect(await membership.settle(sql, uncounted)).toBe(false)
  await sql.run(`DROP TABLE ${sql.name('localpost')}`)
  await sql.run(`ALTER TABLE ${sql.name('kept')} RENAME TO localpost`)
  // The others have removed the row, and this instance has added it again without waiting for them.
  const [delayed, settled] = [membership.nextBatch(), membership.nextBatch()]
  await sql.run(`DELETE FROM ${instances}`)
  expect(await store(delayed)).toBeNull()
  await expect(membership.renew(sql)).rejects.toThrow('removed it from their list')
  expect(() => membership.nextBatch()).toThrow('removed it from their list')
  await membership.join(sql)
  expect(await store(delayed)).toBeNull()
  expect(await membership.settle(sql, settled)).toBeNull()
  expect(await store(delayed)).toBeNull()
  const stored = await sql.run<{ id: string }>(`SELECT id FROM ${table.sql} ORDER BY version, id`)
  expect(stored.map(({ id }) => id)).toEqual(['l_1', 'l_2', 'l_5'])
  const [state] = await sql.run(`SELECT seq::int4 AS seq FROM ${sql.name('localpost')}`)
  expect(state).toEqual({ seq: 3 })
})

test('nothing else adds the row again while an instance waits for the others to know it', async () => {
  const { membership: a, sql } = await member('waits')
  const b = new Membership()
  await a.enter(sql)
  const entering = b.enter(sql)
  await expect.poll(() => sql.run(`SELECT FROM ${sql.name('instances')}`)).toHaveLength(2)
  // It was suspended for minutes, so the leader has removed the row, and relies on being alone.
  await sql.run(`DELETE FROM ${sql.name('instances')} WHERE id = $1`, [b.id])
  expect(b.mayJoin).toBe(false)
  await expect(b.renew(sql)).rejects.toMatchObject({ code: 'service_unavailable' })
  await entering
  await expect(b.renew(sql)).rejects.toMatchObject({ code: 'service_unavailable' })
  expect(b.mayJoin).toBe(true)
})

test('an instance does not know all before its listeners were told', async () => {
  const [a, b] = [await open('told'), await open('told')]
  await a.commit([insert(notes, next())])
  const first = numbers + 1
  const many = 2000
  let heard = 0
  a.changes((change) => {
    if (!('id' in change) || change.id < note(first).id) return
    heard++
    // A listener that takes its time.
    for (const until = performance.now() + 0.2; performance.now() < until;);
  })
  await b.commit(Array.from({ length: many }, () => insert(notes, next())))
  await b.close()
  const last = a.commit([insert(notes, next())])
  const early: number[] = []
  while (heard < many) {
    await new Promise(setImmediate)
    const atOnce = await knowsAtOnce(a)
    if (atOnce && heard < many) early.push(heard)
  }
  expect(early).toEqual([])
  await last
})

test('an instance that is alone notices that the database went back', async () => {
  const a = await open('back')
  for (let n = 0; n < 4; n++) await a.commit([insert(notes, next())])
  const heard: string[] = []
  a.changes((change) => heard.push(change.op))
  // Only the next renewal can make it rely on being alone again.
  await sleep(210)
  await runSql(
    server.url,
    `WITH before AS (UPDATE back.localpost SET seq = seq - 3 RETURNING seq)
     DELETE FROM back.changes WHERE seq > (SELECT seq FROM before)`,
  )
  const done = a.commit([insert(notes, next())])
  while (!heard.includes('gap')) {
    expect(await knowsAtOnce(a)).toBe(false)
    await new Promise(setImmediate)
  }
  await done
})

test('the leader removes the rows of instances that ended a minute ago, and no others', async () => {
  const { membership, sql } = await member('ended')
  await membership.join(sql)
  await sql.run(
    `INSERT INTO ${sql.name('instances')} (id, holder, until)
     VALUES ('long', '', now() - interval '61 seconds'), ('short', '', now() - interval '50 seconds')`,
  )
  await sql.run(`UPDATE ${sql.name('instances')} SET until = now() - interval '80 seconds' WHERE id = $1`, [
    membership.id,
  ])
  await membership.clean(sql)
  // Its own row is never removed, even if the clock of the database was set forward.
  const rows = await sql.run<{ id: string }>(`SELECT id FROM ${sql.name('instances')}`)
  expect(rows.map(({ id }) => id).toSorted()).toEqual(['short', membership.id].toSorted())
  await sql.run(`DELETE FROM ${sql.name('instances')}`)
  expect(await membership.settle(sql, 1)).toBeNull()
})

test('by any of its clocks, an instance relies on being alone for a short time, and only on what it knew then', async () => {
  let now: Moment = { elapsed: 0, wall: 1_000_000 }
  const { membership, sql } = await member('clocks', () => now)
  await membership.enter(sql)
  const { lastAlone } = await membership.renew(sql)
  expect(lastAlone).toBe(0)
  expect(membership.lease.knowsAll(0)).toBe(true)
  // A smaller number lacks commits, and a greater one is from before a restore.
  for (const other of [-1, 1]) expect(membership.lease.knowsAll(other)).toBe(false)
  for (const later of [
    { elapsed: 200, wall: 1_000_000 },
    { elapsed: 0, wall: 1_000_200 },
  ]) {
    now = later
    expect(membership.lease.knowsAll(0)).toBe(false)
  }
})

/** A member of a schema that has no other one. */
async function member(
  schema: string,
  now?: () => Moment,
): Promise<{ membership: Membership; sql: Connection; pool: Pool }> {
  const store = await open(schema)
  await store.close()
  const pool = await openPool(server.url, { max: 2, isPipelined: true })
  onTestFinished(() => pool.end())
  return { membership: new Membership(systemProcesses, now), sql: new Connection(pool, schema), pool }
}
