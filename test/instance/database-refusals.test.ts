import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Notice } from '../../src/options/notice.ts'
import { type Face, open, refusalOf } from '../decisions/helpers.ts'
import { runSql, startPostgres, type TestServer } from '../support/postgres.ts'
import { smallDisk } from '../support/small-disk.ts'

interface Case {
  /** Where the tables are: a disk of its own, or null if there can be none; default: with everything else. */
  disk?: () => string | null
  /** More of the URL. */
  search?: string
  /** @returns What ends it. */
  begin(server: TestServer, disk: string): Promise<() => Promise<unknown>>
  /** Of `GET /dev/health`, and of the message of a refused send. */
  says: RegExp
  refusal: { status: number; name: string }
  smtp: { responseCode: number; response: RegExp }
  /** Whether mail that is there can be read meanwhile. */
  canBeRead: boolean
}

const away = { status: 503, name: 'service_unavailable' }
const tryAgain = {
  responseCode: 451,
  response: /^451 4\.3\.0 The message cannot be stored now, try again in a moment$/,
}
const diskBytes = 160 * 1024 ** 2

const cases: Readonly<Record<string, Case>> = {
  'its disk is full': {
    disk: () => smallDisk(diskBytes),
    async begin(_, disk) {
      const ballast = join(disk, 'ballast')
      const { bavail, bsize } = statfsSync(disk)
      // tmpfs takes what there is room for, and then fails.
      expect(() => writeFileSync(ballast, Buffer.alloc(bavail * bsize + 1))).toThrow('ENOSPC')
      return async () => rmSync(ballast)
    },
    says: /^The database refused: could not extend file .*: No space left on device.* Free some space on the disk of the database\. Nothing was stored\./,
    refusal: { status: 507, name: 'store_full' },
    smtp: { responseCode: 452, response: /^452 4\.3\.1 The disk is full, nothing was stored$/ },
    canBeRead: true,
  },
  'it was made read-only by its operator': {
    async begin({ url }) {
      const set = (change: string): Promise<unknown[]> => alter(url, change)
      await set('SET default_transaction_read_only = on')
      return () => set('RESET default_transaction_read_only')
    },
    says: /^The database refused: cannot execute .* in a read-only transaction\..* Nothing was stored\./,
    refusal: { status: 503, name: 'store_read_only' },
    smtp: { responseCode: 451, response: /^451 4\.3\.0 The message could not be stored, try again$/ },
    canBeRead: true,
  },
  'its statements take longer than its timeout': {
    search: '&statement_timeout=400',
    begin: ({ url }) => lockWrites(url, 'localpost.localpost'),
    says: /^The database does not answer: canceling statement due to statement timeout\./,
    refusal: away,
    smtp: tryAgain,
    canBeRead: true,
  },
  'it closes all sessions and takes no new ones': {
    async begin({ url }) {
      await runSql(url, 'CREATE DATABASE other')
      const other = url.replace(/postgres$/, 'other')
      await runSql(
        other,
        `ALTER DATABASE postgres ALLOW_CONNECTIONS false;
         SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'postgres'`,
      )
      return () => runSql(other, 'ALTER DATABASE postgres ALLOW_CONNECTIONS true')
    },
    says: /^The database does not answer: database "postgres" is not currently accepting connections\./,
    refusal: away,
    smtp: tryAgain,
    canBeRead: false,
  },
  'its password was changed': {
    async begin({ url }) {
      const client = new Client({ connectionString: url })
      client.on('error', () => {})
      await client.connect()
      await client.query("ALTER ROLE localpost PASSWORD 'another'")
      await client.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = current_user',
      )
      return async () => {
        await client.query("ALTER ROLE localpost PASSWORD 'a-secret'")
        await client.end()
      }
    },
    says: /^The database does not answer: password authentication failed/,
    refusal: away,
    smtp: tryAgain,
    canBeRead: false,
  },
  'its tables are away while a backup is restored': {
    async begin({ url }) {
      await runSql(url, 'ALTER SCHEMA localpost RENAME TO restored')
      return () => runSql(url, 'ALTER SCHEMA restored RENAME TO localpost')
    },
    says: /^The database does not answer: relation "localpost\..*" does not exist\./,
    refusal: away,
    smtp: tryAgain,
    canBeRead: false,
  },
}

const mail = { from: 'hi@acme.test', to: 'ada@example.com', subject: 'new', text: 'Hello' }

describe('while a database stores nothing', () => {
  it.each(Object.entries(cases))(
    'the replies, the health and the notices report it, and it ends without a restart: %s',
    async (_, { disk: mount, search = '', begin, says, refusal, smtp, canBeRead }) => {
      const disk = mount?.()
      if (disk === null) return
      const server = await startPostgres({}, disk)
      onTestFinished(() => server.remove())
      const notices: Notice[] = []
      const store = `${server.url}?schema=localpost${search}`
      const face = await open({ store, smtpPort: 0, onNotice: (one) => notices.push(one) })
      const acknowledged = ['before']
      await face.settled(await face.send({ subject: 'before' }))
      expect(await face.get('/dev/health')).toMatchObject({ status: 'ok', warnings: [] })

      const end = await begin(server, disk ?? '')
      // The first to meet it may have been stored: the space that is left is not known.
      await expect.poll(() => send(face, acknowledged), { timeout: 30_000 }).not.toBe(200)
      // A connection that is ended says so once.
      await expect
        .poll(async () => (await refusalOf(await face.call('POST', '/v1/emails', { body: mail }))).message)
        .toMatch(says)
      const response = await face.call('POST', '/v1/emails', { body: mail })
      expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
      const sent = await refusalOf(response)
      expect(sent).toMatchObject(refusal)
      expect(sent.message).toMatch(says)
      expect(sent.message).not.toMatch(/folder|a-secret/)
      await expect(face.submit(mail)).rejects.toMatchObject({
        ...smtp,
        response: expect.stringMatching(smtp.response),
      })
      const health = async (): Promise<unknown> => {
        const answer = await face.call('GET', '/dev/health')
        return { code: answer.status, ...((await answer.json()) as object) }
      }
      const warning = new RegExp(says.source.replace('^', '^New mail is refused\\. '))
      await expect
        .poll(health)
        .toMatchObject({ code: 503, status: 'refusing', warnings: [expect.stringMatching(warning)] })
      const list = await face.call('GET', '/v1/emails')
      expect(list.status).toBe(canBeRead ? 200 : 503)

      await end()
      await expect.poll(() => send(face, acknowledged), { timeout: 20_000 }).toBe(200)
      await expect
        .poll(() => face.get('/dev/health'), { timeout: 20_000 })
        .toMatchObject({ status: 'ok', warnings: [] })
      await face.submit({ ...mail, subject: 'after' })
      acknowledged.push('after')
      const said = notices.map(({ message }) => message)
      expect(said.filter((text) => says.test(text))).toHaveLength(1)
      expect(said.filter((text) => text === 'The database stores mail again.')).toHaveLength(1)
      await face.post.close()
      const again = await open({ store })
      expect((await subjectsOf(again)).toSorted()).toEqual(acknowledged.toSorted())
    },
    120_000,
  )
})

/** Sends mail of some size. @returns The status of the answer. */
async function send(face: Face, acknowledged: string[]): Promise<number> {
  const subject = `sent ${acknowledged.length}`
  const body = { ...mail, subject, text: 'x'.repeat(100_000) }
  const { status } = await face.call('POST', '/v1/emails', { body })
  if (status === 200) acknowledged.push(subject)
  return status
}

async function subjectsOf(face: Face): Promise<string[]> {
  const subjects: string[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const page: { emails: { subject: string }[]; cursor: string | null } = await face.get(
      `/v1/emails?cursor=${cursor}`,
    )
    subjects.push(...page.emails.map(({ subject }) => subject))
    cursor = page.cursor
  }
  return subjects
}

/** Changes a setting of the server, in a session that may do so whatever the setting is. */
async function alter(url: string, change: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('SET default_transaction_read_only = off')
    await client.query(`ALTER SYSTEM ${change}`)
    return (await client.query('SELECT pg_reload_conf()')).rows
  } finally {
    await client.end()
  }
}

/** Keeps others from writing to a table. @returns What ends that. */
async function lockWrites(url: string, table: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  await client.query('BEGIN')
  await client.query(`LOCK TABLE ${table} IN EXCLUSIVE MODE`)
  return () => client.end()
}
