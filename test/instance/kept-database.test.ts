import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLocalpost, fixedClock } from '../../src/index.ts'
import { expectKeptAnswers, keptData } from '../support/kept-data.ts'
import { runSql, startPostgres, type TestServer } from '../support/postgres.ts'

let server: TestServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(async () => {
  await server.remove()
})

test('a database of an earlier build opens, with the same answers byte for byte', async () => {
  await runSql(server.url, 'CREATE EXTENSION pg_trgm')
  await runSql(server.url, readFileSync(join(keptData, 'database.sql'), 'utf8'))
  const clock = fixedClock('2026-01-01T00:00:20Z')
  for (const _ of ['first', 'second']) {
    const post = await createLocalpost({ store: server.url, clock, apiKeys: ['lp_kept'] })
    await expectKeptAnswers(post, 'database')
    await post.close()
  }
  const post = await createLocalpost({ store: server.url, clock, apiKeys: ['lp_kept'] })
  await post.emails.send({ from: 'hi@acme.test', to: 'gil@example.com', subject: 'New', text: 'x' })
  expect((await post.emails.list()).count).toBe(6)
  await post.close()
}, 60_000)
