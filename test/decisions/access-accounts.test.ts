import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createPasswords } from '../../src/users/password.ts'
import { temporaryFolder } from '../support/folder.ts'
import { rawClient } from '../capture/_server.ts'
import { start } from '../support/instance.ts'
import { open } from './helpers.ts'

const mail = { from: 'a@b.test', to: 'c@d.test', text: 'x' }

it('access.accounts: the key decides, then the session, then the query of a caller without a key', async () => {
  const post = await start()
  const shop = await post.accounts.create({ name: 'shop' })
  await post.account('shop').emails.send({ ...mail, subject: 'of shop' })
  await post.emails.send({ ...mail, subject: 'of default' })
  const seenBy = async (path: string, key?: string): Promise<string> => {
    const headers: HeadersInit = key === undefined ? {} : { authorization: `Bearer ${key}` }
    const answer = await post.fetch(new Request(`http://localhost${path}`, { headers }))
    const subjects = (await answer.text()).match(/of (?:shop|default)/g)
    return subjects ? subjects.join() : String(answer.status)
  }
  expect(await seenBy('/v1/emails', shop.api_key)).toBe('of shop')
  expect(await seenBy('/dev/inbox', shop.api_key)).toBe('of shop')
  expect(await seenBy('/dev/inbox?account=shop', shop.api_key)).toBe('of shop')
  expect(await seenBy('/dev/inbox?account=default', shop.api_key)).toBe('404')
  expect(await seenBy('/dev/inbox?account=shop', post.apiKey)).toBe('404')
  expect(await seenBy('/dev/inbox?account=shop')).toBe('of shop')
  expect(await seenBy('/dev/inbox')).toBe('of default')
  expect(await seenBy('/v1/emails?account=shop', post.apiKey)).toBe('of default')
})

it('access.member-accounts: a member sees the accounts of the file of users, an admin sees all', async () => {
  const users = join(temporaryFolder(), 'users')
  const hash = await createPasswords().hash('correct horse')
  writeFileSync(users, `ada:admin:default:${hash}\ngrace:member:shop:${hash}\n`)
  const face = await open({ users, requireKey: true })
  const { post } = face
  for (const name of ['shop', 'bank']) {
    await post.accounts.create({ name })
    await post.account(name).emails.send({ ...mail, subject: `of ${name}` })
  }
  const seen: Record<string, unknown> = {}
  for (const name of ['ada', 'grace']) {
    const signIn = await face.call('POST', '/dev/session', { body: { name, password: 'correct horse' } })
    const headers = { cookie: signIn.headers.get('set-cookie')?.split(';')[0] ?? '' }
    const get = (path: string): Promise<Response> => face.call('GET', path, { headers })
    // As the page asks /v1, which has no query for it.
    const v1 = (cookie: Record<string, string>, account: string): Promise<Response> => {
      const page = { ...cookie, 'x-localpost-page': '1', 'x-localpost-account': account }
      return face.call('GET', '/v1/emails', { headers: page, key: null })
    }
    const { accounts } = (await (await get('/dev/accounts')).json()) as { accounts: { name: string }[] }
    expect(await (await get('/dev/inbox')).text()).not.toContain(name === 'ada' ? 'of shop' : 'of default')
    const paths = ['', '?account=default', '?account=shop', '?account=bank', '?account=none']
    seen[name] = {
      listed: accounts.map((account) => account.name),
      asked: await Promise.all(paths.map(async (query) => (await get(`/dev/inbox${query}`)).status)),
      one: (await get('/dev/accounts/bank')).status,
      page: await Promise.all(
        ['shop', 'bank', 'none'].map((account) => v1(headers, account).then(({ status }) => status)),
      ),
      session: (await get('/dev/session')).status,
    }
  }
  expect(seen).toEqual({
    ada: {
      listed: ['default', 'bank', 'shop'],
      asked: [200, 200, 200, 200, 404],
      one: 200,
      page: [200, 200, 404],
      session: 200,
    },
    grace: {
      listed: ['shop'],
      asked: [200, 404, 200, 404, 404],
      one: 404,
      page: [200, 404, 404],
      session: 200,
    },
  })
})

it('access.account-limits: options and resets apply only to `default`', async () => {
  const post = await start({ rules: [{ match: 'no@d.test', action: 'reject' }], maxEmails: 3 })
  await post.accounts.create({ name: 'shop' })
  const shop = post.account('shop')
  expect(await shop.rules.get()).toEqual([])
  expect(await post.rules.get()).toHaveLength(1)
  for (let n = 0; n < 5; n++) await shop.emails.send({ ...mail, subject: `s${n}` })
  await expect.poll(async () => (await shop.inbox.list()).count, { timeout: 10_000 }).toBe(3)
  await post.reset()
  expect((await shop.inbox.list()).count).toBe(3)
})

it('access.smtp-session: after its account was removed, a session gets 421 for every command except QUIT (221)', async () => {
  const post = await start()
  const { smtp } = await post.accounts.create({ name: 'shop' })
  const login = Buffer.from(`\0shop\0${smtp.password}`).toString('base64')
  const sessions = await Promise.all(
    Array.from({ length: 2 }, async () => {
      const client = await rawClient(post.smtp)
      onTestFinished(() => void client.socket.destroy())
      expect(await client.say(`AUTH PLAIN ${login}`)).toMatch(/^235 /)
      return client
    }),
  )
  await post.accounts.remove('shop')
  expect(await sessions[0]?.say('MAIL FROM:<a@b.test>')).toMatch(/^421 4\.7\.0 /)
  await sessions[0]?.closed()
  expect(await sessions[1]?.say('QUIT')).toMatch(/^221 /)
})
