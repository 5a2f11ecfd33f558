import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fixedClock, type Localpost } from '../../src/index.ts'
import { submit } from '../support/submit.ts'
import { caller, startBounded } from './_worlds.ts'

const day = 86_400_000
const mail = { from: 'a@b.test', to: 'c@d.test', text: 'x' }

/** Uses other accounts, which would close this one, if it could be closed. */
async function useOthers(post: Localpost): Promise<void> {
  for (const name of ['other', 'another', 'other']) await post.account(name).inbox.list()
}

interface World {
  post: Localpost
  /** Opens an account, and forgets whether it was closed before. */
  mark(name: string): Promise<void>
  /** Whether an account was closed since; it is open afterwards. */
  wasClosed(name: string): Promise<boolean>
}

async function world(options?: Parameters<typeof startBounded>[1]): Promise<World> {
  const closed = new Set<string>()
  const post = await startBounded(1, options, (id) => closed.add(id))
  for (const name of ['a', 'other', 'another']) await post.accounts.create({ name })
  /** Using an account waits until it is closed, if that has begun. */
  async function use(name: string): Promise<string> {
    const { id } = await post.accounts.get(name)
    await post.account(name).inbox.list()
    return id
  }
  return {
    post,
    async mark(name) {
      closed.delete(await use(name))
    },
    wasClosed: async (name) => closed.has(await use(name)),
  }
}

describe('an account above the bound of open accounts', () => {
  test('is closed when it is not used, and keeps what it has in memory', async () => {
    const { post, mark, wasClosed } = await world({ seed: 1, rejectSubmissions: true })
    const { api_key } = await post.accounts.create({ name: 'b' })
    const call = caller(post, api_key)
    const b = post.account('b')
    await b.rules.set([{ match: 'slow@example.test', action: 'greylist', times: 2 }])
    const id = await submit(
      { smtp: { ...post.smtp, auth: { user: 'b', pass: api_key } } as Localpost['smtp'] },
      mail,
    )
    const greylisted = (): Promise<unknown> =>
      submit(
        { smtp: { ...post.smtp, auth: { user: 'b', pass: api_key } } as Localpost['smtp'] },
        { ...mail, to: 'slow@example.test' },
      )
    await expect(greylisted()).rejects.toMatchObject({ responseCode: 451 })
    expect((await call('POST', '/v1/emails', { ...mail, subject: 's' })).status).toBe(200)
    const keys = [api_key]
    for (let n = 0; n < 3; n++) {
      await mark('b')
      await expect.poll(async () => (await useOthers(post), await wasClosed('b'))).toBe(true)
      keys.push((JSON.parse((await call('POST', '/dev/keys', {})).text) as { value: string }).value)
      if (n === 0) await expect(greylisted()).rejects.toMatchObject({ responseCode: 451 })
      if (n === 1) await greylisted()
      expect((await b.requests.list()).count).toBe(1)
      expect((await b.inbox.get(id)).transcript).toEqual(expect.any(Array))
    }
    // A seed's sequences go on.
    expect(new Set(keys).size).toBe(4)
    await expect.poll(async () => (await b.smtpSessions.list()).count).toBe(4)
  })

  test('stays open while it has armed faults', async () => {
    const { post, mark, wasClosed } = await world()
    await post.account('a').faults.set({ rate_limit: { requests: 1, per_ms: 60_000 } })
    await mark('a')
    await useOthers(post)
    expect(await wasClosed('a')).toBe(false)
    await post.account('a').faults.clear()
    await expect.poll(async () => (await useOthers(post), await wasClosed('a'))).toBe(true)
  })

  test('stays open while something of it goes on: a wait, events, a download, an SMTP session', async () => {
    const { post, mark, wasClosed } = await world()
    const a = post.account('a')
    const big = await a.inbox.import(
      Buffer.from(`Subject: big\r\n\r\n${'x'.repeat(70)}\r\n`.padEnd(3_000_000, 'y')),
    )
    const { api_key } = await post.accounts.create({ name: 'b' })
    await post.listen({ port: 0 })

    await mark('a')
    const wait = a.inbox.waitFor({ subject: 'awaited' })
    const events = await post.fetch(new Request('http://localhost/dev/events?account=a'))
    const { stream } = await a.inbox.raw(big.id)
    const socket = connect(post.smtp.port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    const told: string[] = []
    socket.setEncoding('utf8').on('data', (text: string) => told.push(text))
    const say = async (line: string, code: string): Promise<void> => {
      socket.write(`${line}\r\n`)
      await expect.poll(() => told.join('')).toMatch(new RegExp(`^${code} .*\r\n$`, 'm'))
      told.length = 0
    }
    await expect.poll(() => told.join('')).toContain('220 ')
    told.length = 0
    await say('EHLO x', '250')
    await say(`AUTH PLAIN ${Buffer.from(`\0b\0${api_key}`).toString('base64')}`, '235')
    await mark('b')

    await useOthers(post)
    expect([await wasClosed('a'), await wasClosed('b')]).toEqual([false, false])
    await a.emails.send({ ...mail, subject: 'awaited' })
    expect((await wait).subject).toBe('awaited')
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader()
    let seen = ''
    while (!seen.includes('email.created')) seen += (await reader?.read())?.value ?? ''
    let bytes = 0
    for await (const piece of stream) bytes += (piece as Buffer).length
    expect(bytes).toBe(3_000_000)
    for (const line of ['MAIL FROM:<a@b.test>', 'RCPT TO:<c@d.test>']) await say(line, '250')
    await say('DATA', '354')
    await say('Subject: late\r\n\r\nx\r\n.', '250')
    await reader?.cancel()
    socket.end('QUIT\r\n')
    await expect.poll(async () => (await useOthers(post), await wasClosed('a'))).toBe(true)
    await expect.poll(async () => (await useOthers(post), await wasClosed('b'))).toBe(true)
    expect((await post.account('b').inbox.latest())?.subject).toBe('late')
  })

  test('sends what waits, and is opened again when an email of it is too old', async () => {
    const clock = fixedClock('2026-01-01T00:00:00Z')
    const { post, mark, wasClosed } = await world({ clock, retryDelaysMs: [60_000] })
    const a = post.account('a')
    await post.accounts.update('a', { max_age_ms: day })
    await a.rules.set([{ match: 'late@example.test', action: 'greylist' }])
    const { id } = await a.emails.send({ ...mail, to: 'late@example.test', subject: 'late' })
    const statusOf = async (): Promise<string | undefined> => (await a.emails.get(id)).last_event?.status
    await mark('a')
    await useOthers(post)
    expect(await wasClosed('a')).toBe(false)
    await expect.poll(async () => (await clock.advance(60_000), statusOf())).toBe('delivered')
    await expect.poll(async () => (await useOthers(post), await wasClosed('a'))).toBe(true)
    await useOthers(post)
    // Nothing asks for it.
    await clock.advance(day)
    await expect.poll(async () => (await post.accounts.get('a')).counts.emails).toBe(0)
  })
})
