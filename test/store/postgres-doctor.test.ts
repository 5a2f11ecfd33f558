import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { runDoctor } from '../../src/cli/doctor.ts'
import { createLocalpost } from '../../src/index.ts'
import type { SchemaInspection } from '../../src/store/postgres/inspect.ts'
import { createDatabase, runSql, startPostgres, type TestServer } from '../support/postgres.ts'
import { submit } from '../support/submit.ts'

let server: TestServer
/** A database with mail of every kind, which other databases are copies of. */
let full: string
beforeAll(async () => {
  server = await startPostgres()
  full = await createDatabase(server)
  const post = await createLocalpost({ store: full })
  await post.accounts.create({ name: 'team' })
  await post
    .account('team')
    .emails.send({ from: 'a@shop.test', to: 'b@shop.test', subject: 'team', text: 'Hi' })
  const { id } = await post.domains.create({ name: 'shop.test' })
  await post.domains.update(id, { open_tracking_enabled: true })
  await post.domains.verify(id, { status: 'SUCCESS' })
  const to = ['ada@shop.test', 'bob@shop.test']
  await post.emails.send({ from: 'a@shop.test', to, subject: 'tracked', html: '<p>Hi' })
  await submit(post, { from: 'x@y.test', to: 'ada@x.test', subject: 'large', text: 'ä€😀 '.repeat(100_000) })
  const messages = `SELECT FROM localpost.blobs WHERE name IN ('message', 'message-1')`
  await vi.waitFor(async () => expect(await runSql(full, messages)).toHaveLength(4), { timeout: 8000 })
  await post.inbox.list({ query: 'anything' })
  await post.close()
  await runSql(
    full,
    `CREATE ROLE reader LOGIN PASSWORD 'reads';
     GRANT USAGE ON SCHEMA localpost TO reader;
     GRANT SELECT ON ALL TABLES IN SCHEMA localpost TO reader;
     GRANT SELECT ON ALL SEQUENCES IN SCHEMA localpost TO reader`,
  )
})
afterAll(() => server.remove())

let copies = 0
async function copyOf(url: string): Promise<string> {
  const name = `copy_${++copies}`
  await runSql(server.url, `CREATE DATABASE ${name} TEMPLATE ${new URL(url).pathname.slice(1)}`)
  return Object.assign(new URL(url), { pathname: name }).href
}

async function doctor(store: string): Promise<{ code: 0 | 1; text: string }> {
  const lines: string[] = []
  const output = {
    log: (text: string) => void lines.push(text),
    canLog: () => true,
    warn: () => {},
    error: () => {},
  }
  const given = { help: null, version: false, config: undefined, words: [] }
  const code = await runDoctor({ ...given, options: { store }, flags: { json: 'true' } }, output)
  return { code, text: lines.join('\n') }
}

async function inspect(store: string): Promise<SchemaInspection> {
  const { code, text } = await doctor(store)
  const inspection = JSON.parse(text) as SchemaInspection
  expect(code).toBe(inspection.healthy ? 0 : 1)
  return inspection
}

const problemsOf = ({ findings }: SchemaInspection): { subject: string; message: string }[] =>
  findings.filter(({ level }) => level === 'problem')

describe('the doctor of a database', () => {
  test('finds nothing in a healthy schema, needs no right to write, and shows no password', async () => {
    const url = Object.assign(new URL(full), { username: 'reader', password: 'reads' }).href
    const inspection = await inspect(url)
    expect(problemsOf(inspection)).toEqual([])
    expect(inspection).toMatchObject({ healthy: true, schema: 'localpost' })
    expect(JSON.stringify(inspection)).not.toContain('reads@')
    const messages = inspection.findings.map(({ message }) => message).join('\n')
    expect(messages).toContain('3 emails')
    expect(messages).toContain('No instance uses the database.')
  })

  test('says which instance is the leader', async () => {
    const url = await copyOf(full)
    const post = await createLocalpost({ store: url })
    try {
      const inspection = await inspect(url)
      expect(inspection.healthy).toBe(true)
      expect(inspection.findings.map(({ message }) => message).join('\n')).toContain(
        `The leader is process ${process.pid} `,
      )
    } finally {
      await post.close()
    }
  })

  test('creates no schema if there is none', async () => {
    const url = await createDatabase(server)
    expect(problemsOf(await inspect(url))).toMatchObject([
      { subject: 'schema', message: expect.stringContaining('is missing') as unknown },
    ])
    expect(await runSql(url, `SELECT FROM pg_namespace WHERE nspname = 'localpost'`)).toEqual([])
  })

  const large = 'SELECT large FROM localpost.blobs WHERE large IS NOT NULL LIMIT 1'
  test.each([
    ['schema', 'UPDATE localpost.localpost SET version = 99', 'have version 99'],
    ['schema', 'DELETE FROM localpost.localpost', 'The row with the version'],
    ['schema', 'DROP TABLE localpost.localpost', 'has no table "localpost"'],
    ['tables', 'DROP TABLE localpost.changes', 'The table "changes" is missing'],
    ['tables', 'DROP TABLE localpost.records_emails', 'The table "records_emails" is missing'],
    ['tables', 'ALTER TABLE localpost.blobs DROP COLUMN large', '"large" is missing'],
    ['tables', 'ALTER TABLE localpost.records_emails DROP COLUMN key_outbox', '"key_outbox" is missing'],
    ['tables', 'ALTER TABLE localpost.totals ALTER records TYPE text', '"records" is text instead of bigint'],
    ['tables', 'ALTER TABLE localpost.totals DROP CONSTRAINT totals_pkey', 'the primary key is missing'],
    ['tables', 'DROP INDEX localpost.emails_outbox', 'lacks indexes'],
    ['tables', 'DROP SEQUENCE localpost.large_blobs', 'The sequence "large_blobs" is missing'],
    ['tables', `DELETE FROM localpost.collections WHERE name = 'emails'`, 'is not listed'],
    ['totals', `DELETE FROM localpost.totals WHERE collection = 'emails'`, 'emails says 0 and has'],
    [
      'totals',
      `UPDATE localpost.totals SET records = records + 1 WHERE collection = 'domains'`,
      'says 2 and has 1',
    ],
    [
      'records',
      `UPDATE localpost.records_emails SET version = version + 1`,
      '3 records of emails are damaged',
    ],
    [
      'records',
      `UPDATE localpost.records_emails SET record = '[]' WHERE partition = ''`,
      '2 records of emails',
    ],
    [
      'records',
      `UPDATE localpost.records_emails SET record = '{"message":{}}' WHERE partition = ''`,
      '2 records of emails are damaged',
    ],
    ['records', `UPDATE localpost.records_emails SET flags = flags # 1`, '3 records of emails are damaged'],
    ['records', `UPDATE localpost.records_domains SET key_name = '\\x00'`, 'records of domains are damaged'],
    [
      'records',
      `INSERT INTO localpost.records_domains (partition, id, version, record, key_name)
       SELECT partition, id || '2', version, json_build_object('id', id || '2', 'version', version), key_name
       FROM localpost.records_domains`,
      'have the same key of the index "name"',
    ],
    ['records', `DELETE FROM localpost.blobs WHERE name = 'message'`, '3 messages of emails are missing'],
    ['records', `DELETE FROM localpost.blobs WHERE name = 'message-1'`, '1 messages of emails are missing'],
    [
      'blobs',
      `UPDATE localpost.blobs SET bytes = bytes || '\\x00' WHERE bytes IS NOT NULL`,
      'as many bytes as they say',
    ],
    ['blobs', `UPDATE localpost.blobs SET bytes = NULL WHERE bytes IS NOT NULL`, 'as many bytes as they say'],
    ['blobs', 'DELETE FROM localpost.pieces WHERE place = 1', '1 large blobs lack pieces'],
    ['blobs', 'DELETE FROM localpost.pieces', '1 large blobs lack pieces'],
    ['blobs', `UPDATE localpost.pieces SET bytes = '\\x00' WHERE place = 0`, '1 large blobs lack pieces'],
    [
      'blobs',
      `INSERT INTO localpost.pieces VALUES (0, 0, '\\x00')`,
      'The pieces of 1 large blobs belong to no blob: numbers 0',
    ],
    [
      'blobs',
      `INSERT INTO localpost.unused (large, since) (${large.replace('large FROM', 'large, now() FROM')})`,
      'listed for removal',
    ],
    ['blobs', `SELECT setval('localpost.large_blobs', 1, false)`, 'would get the number 1'],
    [
      'blobs',
      `INSERT INTO localpost.blobs SELECT partition, owner, 'again', collection, size, bytes, large FROM localpost.blobs WHERE large IS NOT NULL`,
      'have the same number',
    ],
    [
      'blobs',
      `UPDATE localpost.blobs SET owner = 'em_gone' WHERE large IS NOT NULL`,
      '1 blobs belong to no record',
    ],
    ['texts', 'ALTER TABLE localpost.texts_emails DROP COLUMN part_0', 'is not as it was made'],
    [
      'texts',
      `INSERT INTO localpost.texts_emails (partition, id, unsure, cut) VALUES ('', 'em_gone', true, false)`,
      '1 texts of emails belong to no record',
    ],
    [
      'instances',
      `INSERT INTO localpost.instances (id, holder, has_turn, until) VALUES ('a', '', true, now()), ('b', '', true, now())`,
      '2 instances are leaders',
    ],
    ['changes', 'DELETE FROM localpost.changes WHERE seq = 3', 'has gaps: 3 to 3'],
    ['changes', `UPDATE localpost.changes SET changes = '{' WHERE seq = 3`, 'cannot be read: 3'],
    ['changes', 'UPDATE localpost.localpost SET seq = seq + 1', 'The last commit has the number'],
    ['changes', 'DELETE FROM localpost.changes', 'but the last change is missing'],
  ])('finds damage of the %s: %s', async (subject, sql, message) => {
    const url = await copyOf(full)
    await runSql(url, sql)
    const inspection = await inspect(url)
    expect(inspection.healthy).toBe(false)
    expect(problemsOf(inspection)).toContainEqual(
      expect.objectContaining({ subject, message: expect.stringContaining(message) as unknown }),
    )
  })

  test('does not report a gap where old changes were removed', async () => {
    const url = await copyOf(full)
    await runSql(url, 'DELETE FROM localpost.changes WHERE seq < 4')
    expect(problemsOf(await inspect(url))).toEqual([])
  })
})
