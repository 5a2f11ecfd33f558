import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { InnerAccounts } from '../../src/accounts/accounts.ts'
import { fixedClock, type CreatedAccount, type Localpost } from '../../src/index.ts'
import { collections } from '../../src/instance/collections.ts'
import { createIds } from '../../src/core/ids.ts'
import { createRandomSources } from '../../src/core/random.ts'
import { createFollowing } from '../../src/store/follow.ts'
import { lastingPlace, notOn, openStore } from '../support/adapters.ts'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'
import { caller } from './_worlds.ts'
import { createAccounts } from '../../src/accounts/stored-accounts.ts'

const mail = { from: 'a@b.test', to: 'c@d.test', subject: 's', text: 'x' }

/** What an account does while it is removed; each either ends as if it were there, or is refused. */
const uses: Readonly<
  Record<string, (post: Localpost, account: CreatedAccount, n: number) => Promise<unknown>>
> = {
  'sends of the library': (post, { name }) => post.account(name).emails.send(mail),
  'sends over HTTP': async (post, { api_key }) => {
    const { status, text } = await caller(post, api_key)('POST', '/v1/emails', mail)
    expect([200, 401, 404, 503], text).toContain(status)
  },
  'submissions over SMTP': (post, { api_key }) =>
    submit({ smtp: { ...post.smtp, auth: { user: 'x', pass: api_key } } as Localpost['smtp'] }, mail),
  imports: (post, { name }) => post.account(name).inbox.import(Buffer.from('Subject: x\r\n\r\nx\r\n')),
  'new domains': (post, { name }, n) => post.account(name).domains.create({ name: `d${n}.test` }),
  'new keys': (post, { api_key }) => caller(post, api_key)('POST', '/dev/keys', {}),
  'new templates': (post, { name }, n) => post.account(name).templates.put(`t${n}`, { text: 'x' }),
  'bulk changes': (post, { name }) => post.account(name).inbox.updateMatching(null, { tags: ['t'] }),
  'changes of limits': (post, { name }) => post.accounts.update(name, { max_emails: 50 }),
  exports: async (post, { name }) => (await post.account(name).inbox.export()).toArray(),
  waits: (post, { name }) => post.account(name).inbox.waitFor({ subject: 'never' }),
}

describe('the removal of an account', () => {
  test('while everything is done in it leaves nothing of it, and harms no other account', async () => {
    const place = lastingPlace()
    const notices: unknown[] = []
    const post = await start({
      ...place,
      onNotice: ({ level, ...rest }) => level === 'error' && notices.push(rest),
    })
    const other = await post.accounts.create({ name: 'other' })
    await post.account('other').emails.send({ ...mail, subject: 'kept' })
    const removed: string[] = []
    for (let round = 0; round < 2; round++) {
      const account = await post.accounts.create({ name: 'gone' })
      removed.push(account.id)
      await post.account('gone').emails.send(mail)
      let isOver = false
      const running = Object.values(uses).map(async (use) => {
        for (let n = 0; !isOver; n++) {
          await use(post, account, n).catch(() => {})
          await setImmediate()
        }
      })
      const stop = (async () => {
        await expect
          .poll(async () => (await post.accounts.get('gone')).counts.emails, { timeout: 20_000 })
          .toBeGreaterThan(20)
        await post.accounts.remove('gone')
        isOver = true
      })()
      await Promise.all([stop, ...running])
      // Its name is free, its keys open nothing.
      expect((await caller(post, account.api_key)('GET', '/v1/emails')).status).toBe(401)
    }
    expect((await post.accounts.list()).map(({ name }) => name)).toEqual(['default', 'other'])
    expect((await caller(post, other.api_key)('GET', '/v1/emails')).text).toContain('kept')
    expect((await post.inbox.list()).count).toBe(0)
    await post.close()
    // The contract of the store looks at what a database keeps.
    const files = place.dir === undefined ? [] : readdirSync(place.dir, { recursive: true, encoding: 'utf8' })
    expect(files.filter((path) => removed.some((id) => path.includes(id)))).toEqual([])
    expect(notices).toEqual([])
  }, 60_000)

  test('by its time to live waits for an upload that goes on, and refuses one that stopped', async () => {
    const clock = fixedClock('2026-01-01T00:00:00Z')
    const post = await start({ clock })
    const sessions = await Promise.all(
      ['active', 'stopped'].map(async (name) => {
        const { smtp } = await post.accounts.create({ name, ttl_ms: 60_000 })
        const session = await openSession(post)
        await session.say('EHLO x', '250')
        await session.say(
          `AUTH PLAIN ${Buffer.from(`\0${name}\0${smtp.password}`).toString('base64')}`,
          '235',
        )
        for (const line of ['MAIL FROM:<a@b.test>', 'RCPT TO:<c@d.test>']) await session.say(line, '250')
        await session.say('DATA', '354')
        return session
      }),
    )
    const [active, stopped] = sessions
    for (let n = 0; n < 3; n++) {
      // Enough that the server has seen some of it.
      await active?.write(`${'x'.repeat(70)}\r\n`.repeat(1000))
      await expect.poll(async () => (await post.accounts.get('active')).expires).toBe(clock.now() + 60_000)
      await clock.advance(40_000)
    }
    await expect.poll(async () => (await post.accounts.list()).length).toBe(2)
    await active?.say('.', '250')
    await stopped?.say('Subject: late\r\n\r\n.', '421')
    expect((await post.account('active').inbox.list()).count).toBe(1)
  })
})

test('an upload over HTTP that goes on puts the removal off', async () => {
  const clock = fixedClock('2026-01-01T00:00:00Z')
  const post = await start({ clock })
  const { port } = await post.listen()
  const { api_key, name } = await post.accounts.create({ ttl_ms: 60_000 })
  const body = Buffer.from(JSON.stringify({ ...mail, text: 'x'.repeat(3_000_000) }))
  const socket = connect({ port, host: '127.0.0.1' })
  onTestFinished(() => void socket.destroy())
  const headers = [`Authorization: Bearer ${api_key}`, 'Content-Type: application/json', 'Connection: close']
  socket.write(
    `POST /v1/emails HTTP/1.1\r\nHost: localhost\r\n${headers.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n`,
  )
  for (let at = 0; at < body.length; at += 1_000_000) {
    if (at > 0) await clock.advance(40_000)
    socket.write(body.subarray(at, at + 1_000_000))
    await expect.poll(async () => (await post.accounts.get(name)).expires).toBe(clock.now() + 60_000)
  }
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /)
  expect((await post.account(name).inbox.list()).count).toBe(1)
})

const ofMemory = notOn('PostgreSQL', 'it makes 10,020 accounts, and only the number in memory decides')
test('no more accounts are made than fit, also at once', ofMemory, async () => {
  const clock = fixedClock('2026-01-01T00:00:00Z')
  const ids = createIds(clock)
  const accounts: InnerAccounts = await createAccounts({
    store: await openStore(collections),
    following: createFollowing(),
    joined: async () => {},
    left: () => {},
    endPassword: () => {},
    clock,
    ids,
    random: createRandomSources(1)('accounts'),
    smtp: () => ({ host: '127.0.0.1', port: 25 }),
    countsOf: async () => ({ emails: 0, unread: 0 }),
    makeKey: async () => 'key',
    shut: async () => {},
    restart: async () => {},
    empty: async () => {},
    holders: () => [],
    onError: () => {},
  })
  onTestFinished(() => accounts.close())
  const made = await Promise.allSettled(Array.from({ length: 10_020 }, () => accounts.create()))
  const refused = made.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(20)
  expect(refused[0]).toMatchObject({ reason: { code: 'too_many_accounts' } })
})

async function openSession(post: Localpost): Promise<{
  say(line: string, code: string): Promise<void>
  write(text: string): Promise<void>
}> {
  const socket = connect(post.smtp.port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let told = ''
  socket.setEncoding('utf8').on('data', (text: string) => (told += text))
  const heard = (code: string): Promise<void> =>
    expect.poll(() => told, { timeout: 10_000 }).toMatch(new RegExp(`^${code} .*\\r\\n$`, 'm'))
  await heard('220')
  return {
    async say(line, code) {
      told = ''
      socket.write(`${line}\r\n`)
      await heard(code)
    },
    write: (text) => new Promise((resolve) => socket.write(text, () => resolve())),
  }
}
