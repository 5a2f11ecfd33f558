import { createServer } from 'node:net'
import { once } from 'node:events'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { sleep } from '../../src/core/machine.ts'
import { openPool } from '../../src/store/postgres/driver.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { blobOf, insert, put } from '../../src/store/store.ts'
import type { PartitionedStore } from '../../src/store/partitioned-store.ts'
import { note, notes, labels } from '../contracts/notes.ts'
import { runSql, startPostgres, type TestServer } from '../support/postgres.ts'
import { openProxy } from './_postgres-proxy.ts'
import { lines, type Way, ways } from './_postgres-ways.ts'
import { transact } from '../../src/store/postgres/transaction.ts'

let server: TestServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(async () => {
  await server.remove()
})

let schemas = 0
/** The URL of a schema that no other test uses. */
function freshUrl(base: string = server.url): string {
  return `${base}?schema=f${++schemas}`
}

async function open(url: string): Promise<PartitionedStore> {
  const store = await openPostgresStore({ url, collections: [notes, labels, lines] })
  onTestFinished(() => store.close())
  return store
}

describe('a database that fails', () => {
  test('refuses commits while it is away, loses nothing and stores nothing twice', async () => {
    const own = await startPostgres({ fsync: 'on' })
    onTestFinished(() => own.remove())
    const store = await openPostgresStore({ url: own.url, collections: [notes, lines] })
    const kinds = Object.values(ways)
    const wayOf = (n: number): Way => kinds[n % kinds.length] as Way
    const acknowledged: number[] = []
    const refused: { n: number; code: unknown }[] = []
    let stops = false
    const writers = Array.from({ length: 9 }, async (_, writer) => {
      for (let n = writer; !stops; n += 9) {
        try {
          const way = wayOf(n)
          await store.commit([way.insert(n)], [blobOf(`${way.id(n)}/raw`, `message ${n}`)])
          acknowledged.push(n)
        } catch (error) {
          refused.push({ n, code: (error as { code?: unknown }).code })
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      }
    })
    for (const signal of ['SIGQUIT', 'SIGINT'] as const) {
      const count = acknowledged.length
      await expect.poll(() => acknowledged.length).toBeGreaterThan(count + 50)
      await own.stop(signal)
      const before = refused.length
      await expect.poll(() => refused.length, { timeout: 20_000 }).toBeGreaterThan(before + 8)
      expect(store.refusal()).toMatchObject({ code: 'service_unavailable' })
      await own.start()
      const after = acknowledged.length
      await expect.poll(() => acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(after + 50)
      expect(store.refusal()).toBeNull()
    }
    stops = true
    await Promise.all(writers)
    const codes = new Set(refused.map(({ code }) => code))
    expect([...codes].filter((code) => code !== 'service_unavailable' && code !== 'store_unknown')).toEqual(
      [],
    )
    const lists = await Promise.all(kinds.map(({ collection }) => store.ids(collection)))
    const ids = new Set(lists.flat())
    expect(acknowledged.filter((n) => !ids.has(wayOf(n).id(n)))).toEqual([])
    // What was refused as not stored is not stored.
    expect(
      refused.filter(({ n, code }) => code === 'service_unavailable' && ids.has(wayOf(n).id(n))),
    ).toEqual([])
    for (const [at, { collection }] of kinds.entries())
      expect(await store.count(collection)).toBe(lists[at]?.length)
    await store.close()
  }, 90_000)

  const cuts = [
    ['after', true],
    ['before', false],
  ] as const
  test.each(
    Object.entries(ways).flatMap(([what, way]) =>
      cuts.map(([when, passes]) => [when, what, way, passes] as const),
    ),
  )(
    'if a connection is cut %s the end of %s reaches the server, the commit gets the true answer',
    async (_, __, way, passes) => {
      const proxy = await openProxy(server)
      const url = freshUrl(proxy.url)
      const store = await open(url)
      const { collection } = way
      await store.commit([way.insert(1)])
      const heard: string[] = []
      store.changes((change) => 'id' in change && heard.push(change.id))
      for (let round = 0; round < 5; round++) {
        const n = 10 + round
        await expect.poll(() => store.refusal()).toBeNull()
        proxy.cutAtCommit(passes)
        const done = store.commit([way.insert(n)])
        if (passes) await done
        else await expect(done).rejects.toMatchObject({ code: 'service_unavailable' })
        await store.caughtUp()
        expect(heard.includes(way.id(n))).toBe(passes)
        expect((await store.get(collection, way.id(n))) !== null).toBe(passes)
      }
      expect(proxy.cuts).toBe(5)
      expect(await store.count(collection)).toBe(passes ? 6 : 1)
      await expect.poll(() => store.refusal()).toBeNull()
      await store.commit([way.insert(20)])
      expect(heard).toEqual([...(passes ? [10, 11, 12, 13, 14] : []), 20].map((n) => way.id(n)))
    },
  )

  test('a statement that the server gets only after its commit was refused stores nothing', async () => {
    const proxy = await openProxy(server)
    const store = await open(freshUrl(proxy.url))
    const way = ways['one statement'] as Way
    await store.commit([way.insert(1)])
    proxy.cutAtCommit('later')
    await expect(store.commit([way.insert(2)])).rejects.toMatchObject({ code: 'service_unavailable' })
    await proxy.deliver()
    await expect.poll(() => store.refusal()).toBeNull()
    await store.commit([way.insert(3)])
    expect(await store.ids(way.collection)).toEqual([way.id(1), way.id(3)])
  })

  test.each(Object.entries(ways))(
    'if the row that says whether %s was stored was removed meanwhile, the commit gets no false answer',
    async (_, way) => {
      const proxy = await openProxy(server)
      const url = freshUrl(proxy.url)
      const store = await open(url)
      await store.commit([insert(notes, note(1))])
      const schema = url.split('=')[1]
      await runSql(
        server.url,
        `CREATE FUNCTION ${schema}.forget() RETURNS trigger LANGUAGE plpgsql
       AS $$ BEGIN DELETE FROM ${schema}.instances; RETURN NULL; END $$`,
      )
      await runSql(
        server.url,
        `CREATE CONSTRAINT TRIGGER forget AFTER INSERT ON ${schema}.changes
       DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ${schema}.forget()`,
      )
      proxy.cutAtCommit(true)
      await expect(store.commit([way.insert(2)])).rejects.toMatchObject({ code: 'store_unknown' })
      expect(await store.get(way.collection, way.id(2))).not.toBeNull()
    },
  )
})

describe('a database that is busy', () => {
  test('answers every read that waits for a connection, and refuses those above the limit at once', async () => {
    const url = freshUrl()
    const store = await open(url)
    await store.commit([insert(notes, note(1))])
    const admin = new Client({ connectionString: server.url })
    await admin.connect()
    onTestFinished(() => admin.end())
    await admin.query(`BEGIN; LOCK TABLE ${url.split('=')[1]}.records_notes`)
    const asked = Array.from({ length: 10_050 }, () => store.get(notes, note(1).id))
    const answers = Promise.allSettled(asked)
    // Waiting reads do not delay barriers.
    await store.caughtUp()
    const refused = await Promise.allSettled(asked.slice(10_004))
    expect((await store.database())?.connections.waiting).toBeGreaterThanOrEqual(10_000)
    // Longer than the driver lets statements wait for a connection.
    await new Promise((resolve) => setTimeout(resolve, 6000))
    await admin.query('COMMIT')
    for (const outcome of refused)
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: {
          code: 'service_unavailable',
          message: expect.stringContaining('10000 other reads wait'),
          headers: { 'retry-after': '1' },
        },
      })
    const answered = (await answers).filter(({ status }) => status === 'fulfilled')
    expect(answered).toHaveLength(10_004)
  })
})

test('a commit that waits for a lock of another program for too long is refused, and never stored', async () => {
  await Promise.all(
    Object.values(ways).map(async (way) => {
      const url = freshUrl()
      const store = await open(url)
      await store.commit([way.insert(1)])
      const admin = new Client({ connectionString: server.url })
      await admin.connect()
      onTestFinished(() => admin.end())
      await admin.query(`BEGIN; SELECT FROM ${url.split('=')[1]}.instances FOR UPDATE`)
      await expect(store.commit([way.insert(2)])).rejects.toMatchObject({
        code: 'service_unavailable',
        message: expect.stringContaining('statement timeout') as unknown,
      })
      await admin.query('COMMIT')
      await expect.poll(() => store.refusal(), { timeout: 20_000 }).toBeNull()
      expect(await store.ids(way.collection)).toEqual([way.id(1)])
    }),
  )
}, 60_000)

describe('a network that silently drops all packets', () => {
  test('reads, barriers and commits end with 503, and a refused commit is not stored once the network is back', async () => {
    const proxy = await openProxy(server)
    const url = freshUrl(proxy.url)
    const store = await open(url)
    await store.commit([insert(notes, note(1))])
    await store.get(notes, note(1).id)
    proxy.hold()
    const began = performance.now()
    const calls: Record<string, () => Promise<unknown>> = {
      'a read': () => store.get(notes, note(1).id),
      // Until then the only instance need not ask.
      'a barrier': () => sleep(300).then(() => store.caughtUp()),
      'a commit': () => store.commit([insert(lines, { id: 'l_2', words: 'some' })]),
      'a commit behind it': () => store.commit([put(notes, note(3))]),
    }
    const ends = await Promise.all(
      Object.entries(calls).map(async ([what, call]) => {
        const error: unknown = await call().then(
          () => null,
          (thrown: unknown) => thrown,
        )
        return { what, error, seconds: (performance.now() - began) / 1000 }
      }),
    )
    for (const { what, error, seconds } of ends) {
      expect(error, what).toMatchObject({ code: 'service_unavailable' })
      expect(seconds, what).toBeLessThan(45)
    }
    console.log(ends.map(({ what, seconds }) => `${what} ended after ${seconds.toFixed(1)} s`).join(', '))
    proxy.release()
    await expect.poll(() => store.refusal(), { timeout: 20_000 }).toBeNull()
    expect(await store.ids(notes)).toEqual([note(1).id])
    expect(await store.ids(lines)).toEqual([])
    await store.commit([insert(notes, note(4))])
  }, 90_000)

  test.each(Object.entries(ways))(
    'a commit by %s whose answer is lost is looked up for some seconds, and is unknown then',
    async (_, way) => {
      const proxy = await openProxy(server)
      const url = freshUrl(proxy.url)
      const store = await open(url)
      await store.commit([way.insert(1)])
      proxy.holdAtCommit()
      const began = performance.now()
      const lost = store.commit([way.insert(2)])
      await sleep(100)
      const behind = expect(store.commit([way.insert(9)])).rejects.toMatchObject({
        code: 'service_unavailable',
      })
      await expect(lost).rejects.toMatchObject({ code: 'store_unknown' })
      await behind
      const seconds = (performance.now() - began) / 1000
      expect(seconds).toBeLessThan(45)
      console.log(`the outcome was unknown after ${seconds.toFixed(1)} s`)
      proxy.release()
      await expect.poll(() => store.refusal(), { timeout: 20_000 }).toBeNull()
      await store.commit([way.insert(3)])
      // It was stored, and the next commit does not hide that.
      expect(await store.ids(way.collection)).toEqual([1, 2, 3].map((n) => way.id(n)))
    },
    90_000,
  )
})

test('what runs while a store is closed ends with an answer, or as closed', async () => {
  const store = await openPostgresStore({ url: freshUrl(), collections: [notes] })
  await store.commit(Array.from({ length: 200 }, (_, n) => insert(notes, note(n))))
  const running = Array.from({ length: 40 }, (_, n) => [
    store.get(notes, note(n).id),
    store.ids(notes),
    store.caughtUp(),
    store.commit([insert(notes, note(1000 + n))]),
  ]).flat()
  const ends = Promise.allSettled<unknown>(running)
  await store.close()
  const codes = (await ends).map((end) =>
    end.status === 'fulfilled' ? 'answered' : (end.reason as { code: unknown }).code,
  )
  expect(codes.filter((code) => code !== 'answered' && code !== 'closed')).toEqual([])
})

test('a transaction that the server ends for idling is refused, and the next one is stored', async () => {
  const proxy = await openProxy(server)
  const store = await open(`${freshUrl(proxy.url)}&idle_in_transaction_session_timeout=300`)
  await store.commit([insert(notes, note(1))])
  // The network stands still between two statements, and goes on after the server has ended the transaction.
  proxy.holdAtCommit({ forMs: 1000, passesCommit: false })
  await expect(store.commit([insert(notes, note(2))])).rejects.toMatchObject({ code: 'service_unavailable' })
  await expect.poll(() => store.refusal(), { timeout: 20_000 }).toBeNull()
  await store.commit([insert(notes, note(3))])
  expect(await store.ids(notes)).toEqual([note(1).id, note(3).id])
})

test('a connection that the server ends as soon as it is ready fails the transaction, and not the process', async () => {
  const field = (type: string, body: Buffer): Buffer => {
    const head = Buffer.from(`${type}0000`)
    head.writeInt32BE(body.length + 4, 1)
    return Buffer.concat([head, body])
  }
  const ended = field('E', Buffer.from('SFATAL\0C57P01\0Mended by the administrator\0\0'))
  const ready = Buffer.concat([field('R', Buffer.alloc(4)), field('Z', Buffer.from('I'))])
  // Both come in one piece: the driver reads the end before the code that waits for the connection runs.
  const rude = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => socket.end(Buffer.concat([ready, ended])))
  })
  await once(rude.listen(0, '127.0.0.1'), 'listening')
  const address = rude.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  const pool = await openPool(`postgres://a@127.0.0.1:${address.port}/b`, { max: 1, isPipelined: true })
  try {
    await expect(transact(pool, 'localpost', (sql) => sql.run('SELECT 1'))).rejects.toThrow()
  } finally {
    await pool.end()
    rude.close()
  }
})
