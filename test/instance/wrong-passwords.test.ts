import { connect as connectTls } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import type { Localpost } from '../../src/instance/instance.ts'
import { RawClient, rawClient, testServer } from '../capture/_server.ts'
import { start } from '../support/instance.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Every way to authenticate that EHLO offers, as the lines of a client. */
const mechanisms: Readonly<Record<string, (user: string, password: string) => string[]>> = {
  'PLAIN with an initial response': (user, password) => [`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`],
  PLAIN: (user, password) => ['AUTH PLAIN', base64(`\0${user}\0${password}`)],
  'LOGIN with an initial response': (user, password) => [`AUTH LOGIN ${base64(user)}`, base64(password)],
  LOGIN: (user, password) => ['AUTH LOGIN', base64(user), base64(password)],
}

/** Every way to connect. */
const transports: Readonly<Record<string, (post: Localpost) => Promise<RawClient>>> = {
  'plain text': (post) => rawClient(post.smtp),
  async STARTTLS(post) {
    const plain = await rawClient(post.smtp)
    await plain.say('STARTTLS')
    plain.socket.removeAllListeners('data')
    const secured = new RawClient(connectTls({ socket: plain.socket, rejectUnauthorized: false }))
    await secured.say('EHLO client.test')
    return secured
  },
  async SMTPS(post) {
    const { host, port } = post.smtps ?? { host: '', port: 0 }
    const client = new RawClient(connectTls({ host, port, rejectUnauthorized: false }))
    await client.reply()
    await client.say('EHLO client.test')
    return client
  },
}

const ways = Object.entries(transports).flatMap(([transport, open]) =>
  Object.entries(mechanisms).map(([mechanism, lines]) => ({
    name: `${mechanism} over ${transport}`,
    open,
    lines,
  })),
)

async function logIn(client: RawClient, lines: readonly string[]): Promise<string> {
  let reply = ''
  for (const line of lines) reply = await client.say(line)
  return reply
}

const refused = '535 5.7.8 The credentials are not valid'
const limited =
  '421 4.7.0 More than 100 wrong API keys and passwords came from 127.0.0.1 within a minute, and this one is wrong too. Use the right one, or wait 60 s.'

/** The options of a server, and credentials for it: right ones, and wrong ones of every kind. */
interface Setup {
  post: Localpost
  right: readonly [user: string, password: string]
  wrong: readonly (readonly [user: string, password: string])[]
}

const options = { smtpTls: true, smtpsPort: 0, requireKey: true } as const
const setups: Readonly<Record<string, (clock: typeof systemClock) => Promise<Setup>>> = {
  async 'requires API keys'(clock) {
    const post = await start({ ...options, clock, smtpAuth: 'required', apiKeys: ['a-key'] })
    const wrong = [
      ['me', 'wrong'],
      ['a-key', 'x'],
      ['localpost-outbox', 'wrong'],
    ] as const
    return { post, right: ['me', 'a-key'], wrong }
  },
  async 'has accounts and requires credentials'(clock) {
    const post = await start({ ...options, clock, smtpAuth: 'required', apiKeys: ['a-key'] })
    const { password } = (await post.accounts.create({ name: 'shop' })).smtp
    const wrong = [
      ['shop', 'wrong'],
      ['shop', ''],
      ['other', password],
      ['localpost-outbox', 'wrong'],
    ] as const
    return { post, right: ['shop', password], wrong }
  },
  async 'has accounts, and accepts anything for the account `default`'(clock) {
    const post = await start({ ...options, clock, apiKeys: ['a-key'] })
    const { password } = (await post.accounts.create({ name: 'shop' })).smtp
    const former = await post.accounts.create({ name: 'former' })
    await post.accounts.remove('former')
    const wrong = [
      ['shop', 'wrong'],
      ['former', former.smtp.password],
      ['former', former.api_key],
      ['localpost-outbox', 'wrong'],
    ] as const
    return { post, right: ['shop', password], wrong }
  },
}

describe.each(Object.entries(setups))('wrong passwords at a server that %s', (_, open) => {
  it('are limited per address, by every mechanism, on every port, together with wrong keys of HTTP', async () => {
    let now = 1_767_323_045_000
    const { post, right, wrong } = await open({ ...systemClock, now: () => now })
    const { url } = await post.listen()
    const withKey = async (key: string): Promise<number> =>
      (await fetch(`${url}/dev/inbox`, { headers: { authorization: `Bearer ${key}` } })).status
    const clients = await Promise.all(ways.map(({ open: connectWay }) => connectWay(post)))
    onTestFinished(() => clients.forEach(({ socket }) => socket.destroy()))

    // Each is counted once: the last one is still refused in the usual way.
    for (let i = 0; i < 4; i++) expect(await withKey('wrong')).toBe(401)
    for (let i = 0; i < 96; i++) {
      const [way, client] = [ways[i % ways.length], clients[i % ways.length]]
      const [user, password] = wrong[Math.floor(i / ways.length) % wrong.length] ?? ['', '']
      if (!way || !client) throw new Error('There is no way to authenticate.')
      expect([way.name, user, await logIn(client, way.lines(user, password))]).toEqual([
        way.name,
        user,
        refused,
      ])
    }

    expect([await withKey('wrong'), await withKey('a-key')]).toEqual([429, 200])
    for (const [i, { name, open: connectWay, lines }] of ways.entries()) {
      const [user, password] = wrong[i % wrong.length] ?? ['', '']
      const guessing = clients[i] ?? (await connectWay(post))
      expect([name, await logIn(guessing, lines(user, password))]).toEqual([name, limited])
      await guessing.closed()
      const honest = await connectWay(post)
      expect([name, await logIn(honest, lines(...right))]).toEqual([
        name,
        '235 2.7.0 Authentication successful',
      ])
      honest.socket.destroy()
    }

    now += 60_000
    const [user, password] = wrong[0] ?? ['', '']
    expect(await logIn(await rawClient(post.smtp), mechanisms['LOGIN']?.(user, password) ?? [])).toBe(refused)
  }, 60_000)
})

describe('9,000 AUTH commands that come at once', () => {
  const commands = (password: string): string => `AUTH PLAIN ${base64(`\0me\0${password}`)}\r\n`.repeat(9000)

  async function repliesTo(lines: string, given: Parameters<typeof testServer>[0]): Promise<string[]> {
    await using server = await testServer(given)
    const { socket } = await rawClient(server)
    let text = ''
    socket.removeAllListeners('data').on('data', (piece) => (text += String(piece)))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.end(`${lines}QUIT\r\n`)
    await closed
    return text.trimEnd().split('\r\n')
  }

  it('with wrong passwords are checked until the limit, and no further', async () => {
    let checked = 0
    const replies = await repliesTo(commands('wrong'), {
      auth: 'required',
      scopeOf() {
        checked++
        return null
      },
    })
    expect(replies.filter((reply) => reply.startsWith('535 '))).toHaveLength(100)
    expect(replies.slice(100)).toEqual([expect.stringMatching(/^421 4\.7\.0 More than 100 wrong /)])
    expect(checked).toBe(101)
  })

  it('are all accepted where any password is', async () => {
    const replies = await repliesTo(commands('wrong').slice(0, 300 * 30), { auth: 'optional' })
    expect(replies.filter((reply) => !/^(?:235|503|221) /.test(reply))).toEqual([])
  })
})

it('a wrong scope is no wrong password: the key is right', async () => {
  await using server = await testServer({ auth: 'required' })
  const client = await rawClient(server)
  for (let i = 0; i < 150; i++)
    expect(await client.say(`AUTH PLAIN ${base64('\0me\0lp_read')}`)).toMatch(/^535 5\.7\.8 The API key has/)
  const wrong = `AUTH PLAIN ${base64('\0me\0wrong')}`
  expect(await client.say(wrong)).toBe(refused)
})

it('the log of sessions says that the credentials were wrong', async () => {
  const post = await start({ smtpAuth: 'required' })
  for (let i = 0; i < 101; i++) {
    const client = await rawClient(post.smtp)
    await client.say(`AUTH PLAIN ${base64('\0me\0wrong')}`)
    client.socket.destroy()
    await client.closed()
  }
  await expect
    .poll(async () => {
      const answer = await post.fetch(new Request('http://localhost/dev/smtp-sessions?limit=1'))
      const { sessions } = (await answer.json()) as {
        sessions: { problems: { kind: string; reply: string }[] }[]
      }
      return sessions[0]?.problems.map(({ kind, reply }) => `${kind} ${reply.slice(0, 3)}`)
    })
    .toEqual(['auth_failed 421'])
})
