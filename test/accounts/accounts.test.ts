import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fixedClock, type AccountInput, type Localpost } from '../../src/index.ts'
import { lastingPlace, notOn } from '../support/adapters.ts'
import { temporaryFolder } from '../support/folder.ts'
import { start } from '../support/instance.ts'
import { submit } from '../support/submit.ts'
import { caller } from './_worlds.ts'

const mail = { from: 'a@b.test', to: 'c@d.test', text: 'x' }

describe('accounts', () => {
  test('are listed by name after `default`, with what they hold', async () => {
    const post = await start()
    await post.accounts.create({ name: 'b', max_emails: 5 })
    await post.accounts.create({ name: 'a', ttl_ms: 60_000 })
    await post.account('b').emails.send({ ...mail, subject: 'one' })
    await post.account('b').inbox.waitFor({ subject: 'one' })
    const [first, a, b, ...others] = await post.accounts.list()
    expect(first).toMatchObject({ id: 'default', name: 'default', counts: { emails: 0, unread: 0 } })
    expect(a).toMatchObject({ name: 'a', ttl_ms: 60_000, max_emails: null, is_disabled: false })
    expect(a?.expires).toBe((a?.created ?? 0) + 60_000)
    expect(b).toMatchObject({ name: 'b', expires: null, max_emails: 5, counts: { emails: 1, unread: 1 } })
    expect(others).toEqual([])
    expect(await post.accounts.get('b')).toEqual(b)
    expect(JSON.stringify(await post.accounts.list())).not.toMatch(/digest|password|lp_/)
  })

  const wrong: [string, AccountInput, string][] = [
    ['with slashes', { name: 'a/b' }, 'validation_error'],
    ['with a space', { name: 'a b' }, 'validation_error'],
    ['with 300 characters', { name: 'a'.repeat(300) }, 'validation_error'],
    ['in upper case', { name: 'Team' }, 'validation_error'],
    ['empty', { name: '' }, 'validation_error'],
    ['of dots', { name: '..' }, 'validation_error'],
    ['of the account that is always there', { name: 'default' }, 'name_taken'],
    ['that is taken', { name: 'taken' }, 'name_taken'],
    ['and a time to live of a moment', { name: 'x', ttl_ms: 1 }, 'validation_error'],
    ['and an unknown member', { name: 'x', limit: 1 } as AccountInput, 'validation_error'],
  ]
  test.each(wrong)('are refused with a name %s', async (_, input, code) => {
    const post = await start()
    await post.accounts.create({ name: 'taken' })
    // The message shows what was given.
    const shown = input.name === 'x' || input.name === '' ? '' : JSON.stringify(input.name).slice(0, 50)
    const message = expect.stringContaining(shown) as string
    await expect(post.accounts.create(input)).rejects.toMatchObject({ code, message })
    const http = await caller(post)('POST', '/dev/accounts', input)
    expect([http.status, JSON.parse(http.text).name]).toEqual([code === 'name_taken' ? 409 : 422, code])
    expect((await post.accounts.list()).map(({ name }) => name)).toEqual(['default', 'taken'])
  })

  test('are found by their whole name alone, however a path or query is encoded', async () => {
    const post = await start()
    await post.accounts.create({ name: 'team' })
    const call = caller(post)
    const wrong = ['team%2F', 'team%20', 'TEAM', '..%2Fteam', 'te%00am', '%ff', 'a'.repeat(300), '__proto__']
    for (const name of wrong)
      for (const path of [`/dev/accounts/${name}`, `/dev/inbox?account=${name}`])
        expect([path, (await call('GET', path)).status]).toEqual([path, 404])
    for (const path of ['/dev/accounts/%74eam', '/dev/inbox?account=%74eam'])
      expect([path, (await call('GET', path)).status]).toEqual([path, 200])
  })

  test('that are gone are 404 for the page, also where there is no other one', async () => {
    const post = await start()
    const ask = (path: string, init: RequestInit): Promise<Response> =>
      post.fetch(new Request(`http://localhost${path}`, init))
    const body = JSON.stringify({ key: post.apiKey })
    const headers = { 'content-type': 'application/json' }
    const opened = await ask('/dev/session', { method: 'POST', headers, body })
    const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? ''
    const page = { cookie, 'x-localpost-page': '1' }
    expect((await ask('/v1/emails', { headers: page })).status).toBe(200)
    expect((await ask('/v1/emails', { headers: { ...page, 'x-localpost-account': 'gone' } })).status).toBe(
      404,
    )
    expect((await ask('/dev/inbox?acc%6Funt=gone', {})).status).toBe(404)
  })

  test('whose time is over are 404 over HTTP and 535 over SMTP', async () => {
    const clock = fixedClock('2026-01-01T00:00:00Z')
    const post = await start({ clock })
    const { api_key, smtp } = await post.accounts.create({ name: 'over', ttl_ms: 60_000 })
    await clock.advance(60_000)
    expect((await caller(post)('GET', '/dev/inbox?account=over')).status).toBe(404)
    expect((await caller(post)('GET', '/dev/accounts/over')).status).toBe(404)
    expect([401, 404]).toContain((await caller(post, api_key)('GET', '/v1/emails')).status)
    for (const pass of [smtp.password, api_key])
      await expect(
        submit({ smtp: { ...post.smtp, auth: { user: 'over', pass } } as Localpost['smtp'] }, mail),
      ).rejects.toMatchObject({ responseCode: 535 })
    expect((await post.inbox.list()).count).toBe(0)
  })

  test('with the same name, made at once, exist once', async () => {
    const post = await start()
    const made = await Promise.allSettled(
      Array.from({ length: 5 }, () => post.accounts.create({ name: 'same' })),
    )
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await post.accounts.list()).toHaveLength(2)
  })

  test('`default` is neither changed nor removed', async () => {
    const post = await start()
    await expect(post.accounts.remove('default')).rejects.toMatchObject({ code: 'state_conflict' })
    await expect(post.accounts.update('default', { is_disabled: true })).rejects.toMatchObject({
      code: 'state_conflict',
    })
  })

  test('keep their own limits', async () => {
    const post = await start()
    await post.accounts.create({ name: 'few', max_emails: 2 })
    await post.accounts.create({ name: 'many' })
    for (const name of ['few', 'many'])
      for (let n = 0; n < 5; n++) await post.account(name).emails.send({ ...mail, subject: `s${n}` })
    await expect.poll(async () => (await post.accounts.get('few')).counts.emails, { timeout: 10_000 }).toBe(2)
    expect((await post.accounts.get('many')).counts.emails).toBe(5)
    await post.accounts.update('many', { max_emails: 1 })
    await post.account('many').inbox.list()
    await expect
      .poll(async () => (await post.accounts.get('many')).counts.emails, { timeout: 10_000 })
      .toBe(1)
  })

  test('go on with what was due after a change of their limits', async () => {
    const post = await start({ retryDelaysMs: [300, 300] })
    await post.accounts.create({ name: 'a' })
    await post.account('a').rules.set([{ match: 'late@example.test', action: 'greylist' }])
    const { id } = await post.account('a').emails.send({ ...mail, to: 'late@example.test', subject: 'late' })
    await post.accounts.update('a', { max_emails: 50 })
    const statusOf = async (): Promise<string | undefined> =>
      (await post.account('a').emails.get(id)).last_event?.status
    await expect.poll(statusOf, { timeout: 10_000 }).toBe('delivered')
  })

  test('that are disabled answer nothing and keep their data', async () => {
    const post = await start()
    const { api_key } = await post.accounts.create({ name: 'off' })
    await post.account('off').emails.send({ ...mail, subject: 'kept' })
    await post.accounts.update('off', { is_disabled: true })
    const call = caller(post, api_key)
    expect((await call('GET', '/v1/emails')).status).toBe(404)
    expect((await caller(post)('GET', '/dev/inbox?account=off')).status).toBe(404)
    const message = expect.stringMatching(/"off".*disabled/) as string
    await expect(post.account('off').inbox.list()).rejects.toMatchObject({ code: 'not_found', message })
    await post.accounts.update('off', { is_disabled: false })
    expect((await call('GET', '/v1/emails')).text).toContain('kept')
  })

  test('with a time to live are removed after their last use', async () => {
    const clock = fixedClock('2026-01-01T00:00:00Z')
    const post = await start({ clock })
    for (const name of ['used', 'unused']) await post.accounts.create({ name, ttl_ms: 60_000 })
    const waiting = post
      .account('unused')
      .inbox.waitFor({ subject: 'never' })
      .catch((error: Error) => error)
    await post.account('unused').inbox.list()
    await clock.advance(40_000)
    await post.account('used').inbox.list()
    await clock.advance(40_000)
    await expect
      .poll(async () => (await post.accounts.list()).map(({ name }) => name))
      .toEqual(['default', 'used'])
    expect(await waiting).toMatchObject({ code: 'closed' })
    await expect(post.account('unused').inbox.list()).rejects.toMatchObject({ code: 'not_found' })
    await clock.advance(40_000)
    await expect.poll(async () => post.accounts.list()).toHaveLength(1)
  })

  test('are there after a restart, unless they were removed', async () => {
    const place = lastingPlace()
    const first = await start(place)
    const kept = await first.accounts.create({ name: 'kept' })
    const gone = await first.accounts.create({ name: 'gone' })
    await first.emails.send({ ...mail, subject: 'of default' })
    for (const name of ['kept', 'gone']) {
      await first.account(name).emails.send({ ...mail, subject: `of ${name}`, html: '<p>needle</p>' })
      const statusOf = async () => (await first.account(name).inbox.list()).items[0]?.last_event?.status
      await expect.poll(statusOf, { timeout: 10_000 }).toBe('delivered')
    }
    const before = await first.account('kept').inbox.list()
    await first.close()
    const second = await start(place)
    expect(await second.account('kept').inbox.list()).toEqual(before)
    expect((await second.account('kept').inbox.list({ query: 'needle' })).items).toHaveLength(1)
    expect((await caller(second, kept.api_key)('GET', '/v1/emails')).text).toContain('of kept')
    await second.accounts.remove('gone')
    expect((await caller(second, gone.api_key)('GET', '/v1/emails')).status).toBe(401)
    await second.close()
    const third = await start(place)
    expect((await third.accounts.list()).map(({ name }) => name)).toEqual(['default', 'kept'])
    expect((await third.inbox.list()).items.map(({ subject }) => subject)).toEqual(['of default'])
  })

  test('leave no file once they are removed', notOn('PostgreSQL', 'it looks at a folder'), async () => {
    const dir = temporaryFolder()
    const post = await start({ dir })
    const kept = await post.accounts.create({ name: 'kept' })
    const gone = await post.accounts.create({ name: 'gone' })
    for (const name of ['kept', 'gone']) await post.account(name).emails.send({ ...mail, subject: 'x' })
    await post.accounts.remove('gone')
    await post.close()
    const filesOf = ({ id }: { id: string }): string[] =>
      readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((path) => path.includes(id))
    expect(filesOf(kept)).not.toEqual([])
    expect(filesOf(gone)).toEqual([])
  })

  test('send after a restart what was still due', async () => {
    const options = { ...lastingPlace(), retryDelaysMs: [500, 500, 500] }
    const first = await start(options)
    await first.accounts.create({ name: 'a' })
    await first.account('a').rules.set([{ match: 'late@example.test', action: 'greylist' }])
    const told: string[] = []
    const server = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (piece: string) => told.push(piece))
      request.on('end', () => response.end())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    await first
      .account('a')
      .webhooks.create({ url: `http://127.0.0.1:${port}/`, events: ['email.delivered'] })
    const late = { ...mail, to: 'late@example.test', subject: 'late' }
    const { id } = await first.account('a').emails.send(late)
    await first.close()
    await start(options)
    // Nothing is asked of the account: it is opened because it has work to do.
    await expect.poll(() => told.filter((text) => text.includes(id)), { timeout: 10_000 }).toHaveLength(1)
  })
})
