import { createTransport } from 'nodemailer'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { assertSent, matchers, openAccount, startForTest, type TestAccount } from '../../src/testing/index.ts'
import { goodMail } from '../support/mail.ts'

expect.extend(matchers)

let post: Localpost
let url: string
beforeAll(async () => {
  post = await startForTest()
  url = (await post.listen()).url
})
afterAll(() => post.close())

async function open(): Promise<TestAccount> {
  const account = await openAccount({ url, waitTimeoutMs: 10_000 })
  onTestFinished(() => account.close())
  return account
}

const names = async (): Promise<string[]> => (await post.accounts.list()).map(({ name }) => name)

describe('an account of a test', () => {
  it('is apart from others, has its own key and SMTP credentials, and ends with everything in it', async () => {
    const [one, other] = await Promise.all([open(), open()])
    await createTransport(one.smtp).sendMail({ ...goodMail, subject: 'Over SMTP' })
    await other.emails.send({ ...goodMail, subject: 'Over HTTP' })
    await assertSent(one, { subject: 'Over SMTP', count: 1 })
    await expect(other).toHaveSent({ subject: 'Over HTTP', count: 1 })
    await expect(other).toHaveEvent({ status: 'delivered' })
    expect([(await one.inbox.list()).count, (await other.inbox.list()).count]).toEqual([1, 1])
    expect((await post.inbox.list()).count).toBe(0)
    expect(await names()).toEqual(['default', ...[one.name, other.name].sort()])
    await Promise.all([one.close(), one.close()])
    expect(await names()).toEqual(['default', other.name])
    await expect(one.inbox.list()).rejects.toMatchObject({ code: 'closed' })
  })

  it('has the words of an instance for its inbox, with the same answers', async () => {
    const account = await open()
    const there = post.account(account.name).inbox
    const before = await account.inbox.mark()
    expect(before).toBe(await there.mark())
    expect(await account.inbox.latest()).toBeNull()
    for (const number of [1, 2, 3])
      await account.emails.send({ ...goodMail, cc: 'carl@example.com', subject: `Number ${number}` })
    const after = (await there.waitFor({ subject: 'Number 3' }, { timeoutMs: 10_000 })).id
    const queries = [
      undefined,
      'subject:"number 2"',
      { to: 'ada@example.com' },
      { cc: /^carl@/, subject: /[12]$/ },
      { subject: 'number', after: before },
      { subject: 'Number "3"' },
      { from: 'nobody@example.com' },
      { text: 'hello' },
    ]
    for (const query of queries) {
      expect([query, await account.inbox.latest(query)]).toEqual([query, await there.latest(query)])
      for (const options of [{}, { after: before }, { after }, { after: new Date(0) }])
        expect([
          query,
          options,
          await idOf(account.inbox.waitFor(query, { timeoutMs: 30, ...options })),
        ]).toEqual([query, options, await idOf(there.waitFor(query, { timeoutMs: 30, ...options }))])
    }
    const all = await account.inbox.waitForCount({ subject: /number/i }, 3)
    expect(all).toEqual(await there.waitForCount({ subject: /number/i }, 3))
    for (const options of [{ limit: 2 }, { fold: 'broadcasts', count: 'page' }] as const) {
      const query = { query: 'number', ...options }
      expect(await account.inbox.list(query)).toEqual(await there.list(query))
    }
    const [mail] = all
    expect(await account.inbox.check(mail!, { except: ['links'] })).toEqual(
      await there.check(mail!, { except: ['links'] }),
    )
    expect(await account.inbox.update(mail!.id, { tags: ['seen'] })).toMatchObject({ tags: ['seen'] })
    const { id: answer } = await account.inbox.reply(mail!, { text: 'Thanks' })
    expect((await there.get(answer)).thread).toBe((await there.get(mail!.id)).thread)
    await account.inbox.remove(answer)
    await expect(account.inbox.expectNone({ tag: 'seen' })).rejects.toMatchObject({ code: 'unexpected_mail' })
    await account.inbox.expectNone({ tag: 'other' }, { timeoutMs: 20 })
    await account.inbox.remove(mail!.id)
    expect(await account.inbox.removeAll()).toBe(2)
    await expect(account.inbox.waitFor({ to: /ada/ }, { timeoutMs: 20 })).rejects.toMatchObject({
      code: 'wait_timeout',
      message: 'No mail for { to: /ada/ } within 20 ms. The inbox is empty.',
    })
  })

  it('waits for mail that comes later', async () => {
    const account = await open()
    const waits = [account.inbox.waitFor('to:ada'), account.inbox.waitFor({ to: /^ada/ })]
    const { id } = await account.emails.send(goodMail)
    expect((await Promise.all(waits)).map((mail) => mail.id)).toEqual([id, id])
  })

  it('reaches all else by fetch, and is emptied by reset', async () => {
    const account = await open()
    const rules = JSON.stringify([{ match: '*@example.com', action: 'reject' }])
    const headers = { 'content-type': 'application/json' }
    const put = { method: 'PUT', headers, body: rules }
    expect((await account.fetch(new Request('http://localhost/dev/rules', put))).status).toBe(200)
    expect(await post.account(account.name).rules.get()).toMatchObject([
      { match: '*@example.com', code: 550 },
    ])
    await account.emails.send(goodMail)
    await expect(account).toHaveEvent({ status: 'bounced' })
    await account.domains.create({ name: 'acme.test' })
    await account.reset({ keep: ['domains'] })
    expect((await account.inbox.list()).count).toBe(0)
    expect((await account.domains.list()).items).toHaveLength(1)
    await account.reset()
    expect((await account.domains.list()).items).toEqual([])
  })

  it('is removed by the server when its time is over, and its end is no error then', async () => {
    const account = await openAccount({ url, ttlMs: 5000 })
    const { ttl_ms } = await post.accounts.get(account.name)
    expect(ttl_ms).toBe(5000)
    await post.accounts.remove(account.name)
    // On the server's own machine a caller needs no key. One of an account that is gone must not act on `default`.
    await post.emails.send(goodMail)
    for (const call of [account.inbox.list, account.inbox.removeAll, account.reset])
      await expect(call()).rejects.toMatchObject({ code: 'invalid_api_key' })
    expect((await post.inbox.list()).count).toBe(1)
    const write = vi.spyOn(process.stderr, 'write')
    await account.close()
    expect(write).not.toHaveBeenCalled()
    write.mockRestore()
  })
})

describe('an account that cannot be opened', () => {
  it('says which server was asked, and which settings decide', async () => {
    vi.stubEnv('LOCALPOST_URL', 'http://127.0.0.1:1')
    onTestFinished(() => void vi.unstubAllEnvs())
    await expect(openAccount()).rejects.toMatchObject({
      code: 'request_failed',
      message: expect.stringMatching(/http:\/\/127\.0\.0\.1:1\/.* LOCALPOST_URL or the option url/),
    })
    vi.stubEnv('LOCALPOST_URL', url)
    vi.stubEnv('LOCALPOST_API_KEY', 'lp_wrong')
    const guarded = await startForTest({ requireKey: true })
    onTestFinished(() => guarded.close())
    await expect(openAccount({ url: (await guarded.listen()).url })).rejects.toMatchObject({
      code: 'invalid_api_key',
      message: expect.stringContaining('LOCALPOST_API_KEY'),
    })
    vi.stubEnv('LOCALPOST_API_KEY', guarded.apiKey)
    await (await openAccount({ url: guarded.url! })).close()
    expect(await guarded.accounts.list()).toHaveLength(1)
  })

  it('says once which variable is misspelt', async () => {
    const guarded = await startForTest({ requireKey: true })
    onTestFinished(() => guarded.close())
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    onTestFinished(() => (vi.unstubAllEnvs(), write.mockRestore()))
    vi.stubEnv('LOCALPOST_URL', (await guarded.listen()).url)
    vi.stubEnv('LOCALPOST_API_KEY', guarded.apiKey)
    vi.stubEnv('LOCALPOST_APIKEY', 'x')
    for (const _ of [1, 2]) await (await openAccount()).close()
    expect(write.mock.calls.map(([text]) => text)).toEqual([
      'localpost: LOCALPOST_APIKEY is not a variable of Localpost. Did you mean LOCALPOST_API_KEY?\n',
    ])
  })

  it.each([
    [{ url: 'ftp://x' }, 'url must be an http'],
    [{ urll: 'x' }, 'Did you mean "url"?'],
    [{ ttlMs: 1 }, 'ttl_ms'],
    [{ waitTimeoutMs: -1 }, 'waitTimeoutMs'],
    [{ apiKey: 'two words' }, 'apiKey'],
  ])('refuses %j', async (settings, said) => {
    const wrong = { url, ...settings }
    await expect(openAccount(wrong)).rejects.toThrow(said)
  })
})

async function idOf(waiting: Promise<{ id: string }>): Promise<string> {
  return waiting.then(({ id }) => id).catch((error: { code: string }) => error.code)
}
