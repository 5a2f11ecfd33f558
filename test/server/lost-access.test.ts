import { writeFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Localpost } from '../../src/index.ts'
import { createPasswords } from '../../src/users/password.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startListening } from '../support/instance.ts'
import { ask, type RawAnswer } from './_ask.ts'

const json = { 'content-type': 'application/json' }
/** More than the buffers of a connection take while its client does not read. */
const large = Buffer.concat([
  Buffer.from('Subject: Large\r\n\r\n'),
  Buffer.alloc(12_000_000, 'x'.repeat(75) + '\n'),
])

let hashes: string[]
beforeAll(async () => {
  const passwords = createPasswords()
  hashes = await Promise.all([passwords.hash('correct horse'), passwords.hash('battery staple')])
})

interface Server {
  post: Localpost
  port: number
  /** Writes the file of users. */
  write(...lines: string[]): void
  signIn(name: string): Promise<Record<string, string>>
}

async function open(): Promise<Server> {
  const users = join(temporaryFolder(), 'users')
  const write = (...lines: string[]): void => writeFileSync(users, `${lines.join('\n')}\n`)
  const members = ['grace', 'eve', 'bob'].map((name) => `${name}:member:default,shop:${hashes[0]}`)
  write(`ada:admin:default:${hashes[0]}`, ...members)
  const post = await startListening({ users, requireKey: true })
  const port = Number(new URL(post.url ?? '').port)
  return {
    post,
    port,
    write,
    async signIn(name) {
      const body = JSON.stringify({ name, password: 'correct horse' })
      const answer = await ask(port, '/dev/session', json, 'POST', body)
      return { cookie: cookieOf(answer) }
    },
  }
}

const cookieOf = (answer: RawAnswer): string => answer.headers['set-cookie']?.[0]?.split(';')[0] ?? ''

/** The open requests of a caller: an event stream, a wait, and a download that it stops reading. */
interface Held {
  /** How each ended; a stream that is still open after the time is `open`. */
  ends(): Promise<Record<string, string>>
  isOpen(): boolean
}

async function hold(port: number, headers: Record<string, string>, mail: string, suffix = ''): Promise<Held> {
  const begin = (path: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const sent = request({ port, path: path + suffix, headers, agent: false }, resolve)
      sent.on('error', reject).end()
      // Before the server closes, which allows a running download some seconds.
      onTestFinished(() => void sent.destroy())
    })
  // Sent first, so that the server has it when the others are answered.
  const wait = begin('/dev/inbox/wait?query=subject:never&timeout_ms=60000')
  const events = await begin('/dev/events?')
  const download = await begin(`/dev/inbox/${mail}/raw?`)
  expect([events.statusCode, download.statusCode]).toEqual([200, 200])
  const state = { events: 'open', wait: 'open' }
  const ended = [
    new Promise<void>((resolve) => {
      events
        .on('error', () => {})
        .on('close', () => {
          state.events = 'ended'
          resolve()
        })
    }),
    wait.then(({ statusCode }) => void (state.wait = String(statusCode))).catch(() => undefined),
  ]
  events.resume()
  return {
    isOpen: () => state.events === 'open' && state.wait === 'open',
    async ends() {
      await Promise.all(ended)
      // Read only now, so that it was still under way when access ended.
      let bytes = 0
      const whole = await new Promise<boolean>((resolve) => {
        download
          .on('data', (piece: Buffer) => (bytes += piece.length))
          .on('error', () => resolve(false))
          .on('close', () => resolve(bytes === large.length))
      })
      return { ...state, download: whole ? 'whole' : 'broken off' }
    },
  }
}

describe('long answers end within seconds', () => {
  const ended = (wait: string): object => ({ events: 'ended', wait, download: 'broken off' })

  it('for users and keys that lose access, and continue for others', async () => {
    const { post, port, write, signIn } = await open()
    const { id } = await post.inbox.import(large)
    const key = await addKey(post, port)
    const sessions = await Promise.all(['ada', 'grace', 'eve', 'bob'].map(signIn))
    const keys = [key.value, post.apiKey].map((value) => ({ authorization: `Bearer ${value}` }))
    const held = await Promise.all([...sessions, ...keys].map((headers) => hold(port, headers, id)))
    const staying = held.pop()
    await ask(port, '/dev/session', sessions[0], 'DELETE')
    await ask(port, `/dev/keys/${key.id}`, { authorization: `Bearer ${post.apiKey}` }, 'DELETE')
    // Grace may not see the account any more, the password of eve was changed, bob was removed.
    write(
      `ada:admin:default:${hashes[0]}`,
      `grace:member:shop:${hashes[0]}`,
      `eve:member:default:${hashes[1]}`,
    )
    expect(await Promise.all(held.map((one) => one.ends()))).toEqual([
      ended('401'),
      ended('404'),
      ended('401'),
      ended('401'),
      ended('401'),
    ])
    expect(staying?.isOpen()).toBe(true)
  })

  it('for accounts that are removed or disabled, and continue in others', async () => {
    const post = await startListening()
    const port = Number(new URL(post.url ?? '').port)
    const { id: ownId } = await post.inbox.import(large)
    const main = await hold(port, {}, ownId)
    const held = await Promise.all(
      ['removed', 'disabled', 'kept'].map(async (name) => {
        const { api_key: key } = await post.accounts.create({ name })
        const { id } = await post.account(name).inbox.import(large)
        const signedIn = await ask(port, '/dev/session', json, 'POST', JSON.stringify({ key }))
        return Promise.all([
          hold(port, { authorization: `Bearer ${key}` }, id),
          hold(port, { cookie: cookieOf(signedIn) }, id),
          hold(port, {}, id, `&account=${name}`),
        ])
      }),
    )
    await post.accounts.remove('removed')
    await post.accounts.update('disabled', { is_disabled: true })
    const [removed = [], disabled = [], kept = []] = held
    for (const caller of [...removed, ...disabled]) expect(await caller.ends()).toEqual(ended('404'))
    expect([main, ...kept].map((caller) => caller.isOpen())).toEqual([true, true, true, true])
  })
})

async function addKey(post: Localpost, port: number): Promise<{ id: string; value: string }> {
  const headers = { ...json, authorization: `Bearer ${post.apiKey}` }
  return JSON.parse((await ask(port, '/dev/keys', headers, 'POST', '{}')).body)
}
