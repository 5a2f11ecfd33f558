import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { createLocalpost } from '../../src/index.ts'
import { emailCollection } from '../../src/emails/email.ts'
import { parseMailQuery } from '../../src/search/query.ts'
import type { Search } from '../../src/search/search.ts'
import { openSearchIndex } from '../../src/search/search-index.ts'
import { openPostgresStore } from '../../src/store/postgres/open.ts'
import { insert, type Store } from '../../src/store/store.ts'
import { anEmail, digestsOf, idOf, noFields } from '../inbox/_email.ts'
import { runSql, startPostgres, type TestServer } from '../support/postgres.ts'
import { createSearch } from '../../src/search/mail-search.ts'

let server: TestServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

/** The URL of a schema whose searches {@link slowDown} can slow down. */
const urlOf = (schema: string): string =>
  `${server.url}?schema=${schema}&options=${encodeURIComponent(`-c search_path=${schema}_slow,pg_catalog`)}`

/** From now on, each comparison with a text takes the database as many milliseconds, as on a slow disk; no index helps. */
async function slowDown(schema: string, ms: number): Promise<void> {
  await runSql(
    server.url,
    `CREATE SCHEMA ${schema}_slow;
     CREATE FUNCTION ${schema}_slow.compare(given text, pattern text) RETURNS boolean LANGUAGE plpgsql STABLE COST 100000 AS
       $$ BEGIN PERFORM pg_sleep(${ms / 1000}); RETURN given OPERATOR(pg_catalog.~~) pattern; END $$;
     CREATE OPERATOR ${schema}_slow.~~ (LEFTARG = text, RIGHTARG = text, FUNCTION = ${schema}_slow.compare)`,
  )
}

/** The searches that the database works at. */
async function running(): Promise<number> {
  const [row] = (await runSql(
    server.url,
    "SELECT count(*)::int AS count FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%texts_emails%' AND pid <> pg_backend_pid()",
  )) as { count: number }[]
  return row?.count ?? 0
}

async function searchOf(store: Store): Promise<Search> {
  const digests = digestsOf(store)
  const index = openSearchIndex({ store, clock: systemClock, digests }, null)
  onTestFinished(() => index.close())
  const { indexer, rows } = index
  return createSearch({ store, digests, indexer, rows, fieldsOf: noFields, pageSize: 50 })
}

describe('a search that no index helps', () => {
  const count = 2500

  test('looks at the newest texts for 5 seconds and says how many are left; a search for all matches looks at all texts', async () => {
    const schema = 'limits'
    const store = await openPostgresStore({
      url: urlOf(schema),
      collections: [emailCollection],
    })
    onTestFinished(() => store.close())
    for (let n = 1; n <= count; n += 500)
      await store.commit(
        Array.from({ length: 500 }, (_, i) => insert(emailCollection, { ...anEmail(n + i), snippet: '' })),
      )
    await runSql(
      server.url,
      `INSERT INTO ${schema}.texts_emails (partition, id, unsure, cut, part_0, part_1, part_2, part_3, part_4, part_5, part_6, part_7)
       SELECT partition, id, false, false, '', '', '', '', '', '', '', 'ab of ' || id FROM ${schema}.records_emails`,
    )
    await slowDown(schema, 4)
    const search = await searchOf(store)
    const filter = parseMailQuery('body:ab', 0)
    const began = performance.now()
    const page = await search.list(filter, { offset: 1, limit: 2 })
    const tookMs = performance.now() - began
    expect(tookMs).toBeGreaterThan(4500)
    expect(page.count).toBeGreaterThan(20)
    expect(page.unread_texts).toBe(count - page.count)
    expect(page.items.map(({ id }) => id)).toEqual([idOf(count - 1), idOf(count - 2)])
    expect(await running()).toBe(0)

    // The same with a term that the records decide.
    const both = await search.list(parseMailQuery('body:ab reply-to:nobody', 0), { limit: 1 })
    expect(both.count).toBe(0)
    expect(both.unread_texts).toBeGreaterThan(20)

    expect(await search.ids(filter)).toEqual(Array.from({ length: count }, (_, n) => idOf(count - n)))
  }, 120_000)

  test('ends at once when its caller leaves, in the database too', async () => {
    const schema = 'gone'
    const post = await createLocalpost({ store: urlOf(schema) })
    onTestFinished(() => post.close())
    for (let n = 0; n < 40; n++) await post.inbox.import(Buffer.from(`Subject: one\r\n\r\nab of ${n}\r\n`))
    expect((await post.inbox.list({ query: 'body:ab' })).count).toBe(40)
    await slowDown(schema, 60_000)
    await post.listen()
    for (const query of ['body:ab', 'body:ab header:x-none']) {
      for (const leave of [
        (signal: AbortSignal) => post.inbox.list({ query, signal }),
        (signal: AbortSignal) =>
          fetch(`${post.url}/dev/inbox?query=${encodeURIComponent(query)}`, { signal }),
      ]) {
        const abort = new AbortController()
        const searching = leave(abort.signal)
        searching.catch(() => {})
        await expect.poll(running, { interval: 20 }).toBe(1)
        abort.abort(new Error('gone'))
        await expect(searching).rejects.toThrow('gone')
        await expect.poll(running, { interval: 20 }).toBe(0)
      }
    }
    // One that has no time to leave in gives up by itself.
    expect(await post.inbox.list({ query: 'body:ab' })).toMatchObject({ count: 0, unread_texts: 40 })
  }, 120_000)
})
