import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openPostgresStore, type PostgresStoreOptions } from '../../src/store/postgres/open.ts'
import { insert, put } from '../../src/store/store.ts'
import type { PartitionedStore } from '../../src/store/partitioned-store.ts'
import { type Note, note, notes, labels } from '../contracts/notes.ts'
import { createDatabase, runSql, startPostgres, type TestServer } from '../support/postgres.ts'

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

async function open(url: string, options: Partial<PostgresStoreOptions> = {}): Promise<PartitionedStore> {
  const store = await openPostgresStore({ url, collections: [notes, labels], ...options })
  onTestFinished(() => store.close())
  return store
}

describe('a store in PostgreSQL that cannot be opened', () => {
  const failures: Record<string, () => Promise<{ url: string; message: RegExp; code?: string }>> = {
    'a wrong password': async () => ({
      url: server.url.replace('a-secret', 'wrong'),
      message: /password authentication failed.*Check the user name and the password/,
    }),
    'no such user': async () => ({
      url: server.url.replace('localpost:', 'nobody:'),
      message: /Check the user name and the password/,
    }),
    'no such database': async () => ({
      url: server.url.replace(/postgres$/, 'missing'),
      message: /database "missing" does not exist.*createdb/,
    }),
    'nothing that listens': async () => ({
      url: server.url.replace(String(server.port), '1'),
      message: /ECONNREFUSED.*Check that PostgreSQL runs there/,
    }),
    'no right to make a schema': async () => {
      await runSql(server.url, "CREATE ROLE limited LOGIN PASSWORD 'limited'")
      return {
        url: `postgres://limited:limited@127.0.0.1:${server.port}/postgres`,
        message: /permission denied.*GRANT CREATE ON DATABASE/,
      }
    },
    'the tables of another program': async () => {
      await runSql(server.url, 'CREATE SCHEMA other CREATE TABLE users (id int)')
      return {
        url: `${server.url}?schema=other`,
        message: /tables of another program.*users/,
        code: 'invalid_option',
      }
    },
    'the tables of a newer version': async () => {
      const url = freshUrl()
      await (await openPostgresStore({ url, collections: [notes] })).close()
      await runSql(server.url, `UPDATE ${url.split('=')[1]}.localpost SET version = 99`)
      return { url, message: /version 99.*Use the newer version/, code: 'store_newer_schema' }
    },
    'a URL without a database': async () => ({
      url: `postgres://127.0.0.1:${server.port}`,
      message: /names no database/,
      code: 'invalid_option',
    }),
  }

  test.each(Object.entries(failures))('says what to do: %s', async (_, arrange) => {
    const { url, message, code = 'store_failed' } = await arrange()
    const before = await tables()
    await expect(openPostgresStore({ url, collections: [notes] })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    })
    expect(await tables()).toEqual(before)
    await expect(openPostgresStore({ url, collections: [notes] })).rejects.not.toMatchObject({
      message: expect.stringContaining('a-secret'),
    })
  })

  async function tables(): Promise<unknown[]> {
    return await runSql(
      server.url,
      `SELECT nspname, relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE nspname NOT LIKE 'pg%' ORDER BY 1, 2`,
    )
  }
})

test('an instance whose version has other columns is refused while another instance runs', async () => {
  const url = freshUrl()
  const first = await open(url)
  await first.commit([insert(notes, note(1))])
  const other = { ...notes, indexes: { ...notes.indexes, size: { on: ['seen'] } } }
  await expect(openPostgresStore({ url, collections: [other] })).rejects.toMatchObject({
    code: 'store_in_use',
    message: expect.stringContaining(`process ${process.pid} on the host`),
  })
  await first.commit([insert(notes, note(2))])
  await first.close()
  const second = await openPostgresStore({ url, collections: [other] })
  expect(await second.count(other)).toBe(2)
  await second.close()
})

test('records of a version with other indexes and facts are found by those of this one', async () => {
  const url = freshUrl(await createDatabase(server))
  const old = { ...notes, indexes: { seen: { on: ['seen'] } } }
  const before = await openPostgresStore({ url, collections: [old] })
  await before.commit(
    Array.from({ length: 2500 }, (_, n) => put(old, note(n, { due: n % 7, seen: n % 2 === 0 }))),
  )
  await before.close()
  const facts = {
    version: 1,
    flags: ['seen'],
    numbers: ['due'],
    texts: ['name'],
    of: ({ seen, due, name }: Note) => ({ flags: seen ? 1 : 0, numbers: [due ?? 0], texts: [[name]] }),
  }
  const store = await open(url, { collections: [{ ...notes, facts }] })
  expect(await store.count(notes, { index: 'due', prefix: [3] })).toBe(357)
  expect(await store.count(notes, { where: { flag: 'seen' } })).toBe(1250)
  expect(await store.ids(notes, { where: { text: 'name', equals: 'name 00042' } })).toEqual(['n_00042'])
  await expect(store.commit([insert(notes, note(9000, { name: 'name 00001' }))])).rejects.toMatchObject({
    code: 'unique_conflict',
  })
})
