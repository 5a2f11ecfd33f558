import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { createLocalpost, type Localpost } from '../../src/index.ts'
import type { Notice } from '../../src/options/notice.ts'
import { runSql, startPostgres, type TestServer } from '../support/postgres.ts'

let server: TestServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.remove())

/** A test that is repeated needs schemas of its own. */
let schemas = 0

async function start(schema: string, notices: Notice[] = []): Promise<Localpost> {
  const store = `${server.url}?schema=${schema}`
  const post = await createLocalpost({ store, onNotice: (one) => notices.push(one) })
  onTestFinished(() => post.close())
  return post
}

async function ask(post: Localpost, route: string, body?: unknown, key?: string): Promise<Answer> {
  const [method = '', path = ''] = route.split(' ')
  const response = await post.fetch(
    new Request(`http://localpost${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  )
  return { status: response.status, body: (await response.json()) as Answer['body'] }
}

interface Answer {
  status: number
  body: { value: string; emails: { subject: string }[] }
}

const mail = { from: 'bob@acme.test', to: 'ada@example.com', text: 'Hello' }

// Beside more commits than the running instance knows, a restore can be followed by those of another instance.
it.each([
  ['fewer', 1],
  ['more', 40],
])(
  'an instance under which a database is restored goes by what it holds then, with %s commits than before',
  async (_, extra) => {
    const notices: Notice[] = []
    const [now, backup, away] = ['now', 'backup', 'away'].map((name) => `${name}_${++schemas}`) as [
      string,
      string,
      string,
    ]
    const post = await start(now, notices)
    const other = await start(backup)
    const before = await ask(post, 'POST /dev/keys', { scope: 'full' })
    const restored = await ask(other, 'POST /dev/keys', { scope: 'full' })
    for (let n = 0; n < 10; n++)
      await ask(post, 'POST /v1/emails', { ...mail, subject: `before ${n}` }, before.body.value)
    for (let n = 0; n < extra; n++)
      await ask(other, 'POST /v1/emails', { ...mail, subject: `restored ${n}` }, restored.body.value)
    await other.close()
    const listening = await ask(post, 'GET /v1/emails', undefined, before.body.value)
    expect(listening.body.emails[0]?.subject).toBe('before 9')
    // A delivery that goes on would be stored in the restored database.
    await expect
      .poll(async () => (await post.emails.list()).items.map(({ last_event }) => last_event.status))
      .toEqual(Array.from({ length: 10 }, () => 'delivered'))

    await runSql(
      server.url,
      `BEGIN; ALTER SCHEMA ${now} RENAME TO ${away}; ALTER SCHEMA ${backup} RENAME TO ${now}; COMMIT`,
    )
    // It looks every few seconds; on a busy machine its look takes long.
    await expect
      .poll(async () => (await ask(post, 'GET /v1/emails', undefined, restored.body.value)).status, {
        timeout: 40_000,
      })
      .toBe(200)
    expect((await ask(post, 'GET /v1/emails', undefined, before.body.value)).status).toBe(401)
    expect(notices.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^The database holds other commits than before, as after a restore of a backup/),
    )
    // It continues with the restored data: new mail is stored, delivered and announced.
    const waiting = post.inbox.waitFor({ subject: 'after' }, { timeoutMs: 30_000 })
    await expect
      .poll(
        async () =>
          (await ask(post, 'POST /v1/emails', { ...mail, subject: 'after' }, restored.body.value)).status,
      )
      .toBe(200)
    expect((await waiting).subject).toBe('after')
    expect(notices.filter(({ message }) => /other commits/.test(message))).toHaveLength(1)
  },
  90_000,
)
