import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createPasswords } from '../../../src/users/password.ts'
import { makeFolder, removeFolder } from '../../support/folder.ts'
import { openWebSocket } from '../../support/websocket.ts'
import { openMailpit, type MailpitServer, type Read } from './_server.ts'

const basic = (name: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})

describe('a user of the file of users', () => {
  let server: MailpitServer
  let hashes: string[] = []
  const folder = makeFolder()
  const file = join(folder, 'users')
  const write = (...lines: string[]): void => writeFileSync(file, `${lines.join('\n')}\n`)
  const all = (): string[] => [
    `ada:admin:default:${hashes[0]}`,
    `grace:member:default,shop:${hashes[1]}`,
    `eve:member:shop:${hashes[1]}`,
  ]
  const list = (name: string, password: string, query = ''): Promise<Read> =>
    server.call('GET', `/api/v1/messages${query}`, undefined, basic(name, password))
  const subjects = async (name: string, password: string, query = ''): Promise<string[]> => {
    const { messages } = (await list(name, password, query)).json() as { messages: { Subject: string }[] }
    return messages.map(({ Subject }) => Subject)
  }

  beforeAll(async () => {
    const passwords = createPasswords()
    hashes = await Promise.all([passwords.hash('correct: horse'), passwords.hash('battery stäple')])
    write(...all())
    server = await openMailpit({ users: file, requireKey: true })
    const { post } = server
    await post.accounts.create({ name: 'shop' })
    await post.emails.send({ from: 'a@acme.test', to: 'b@acme.test', subject: 'in default', text: 'x' })
    return async () => {
      await server.end()
      removeFolder(folder)
    }
  })
  beforeEach(() => write(...all()))

  it('calls with name and password, as does the holder of a key with any name', async () => {
    expect(await subjects('ada', 'correct: horse')).toEqual(['in default'])
    expect(await subjects('grace', 'battery stäple')).toEqual(['in default'])
    expect(await subjects('ada', server.post.apiKey)).toEqual(['in default'])
    const put = await server.call('PUT', '/api/v1/messages', { Read: true }, basic('grace', 'battery stäple'))
    expect(put.text).toBe('ok')
  })

  it('sees the accounts of the user, the first one unless another is named', async () => {
    expect(await subjects('eve', 'battery stäple')).toEqual([])
    expect(await subjects('grace', 'battery stäple', '?account=shop')).toEqual([])
    expect((await list('eve', 'battery stäple', '?account=default')).status).toBe(404)
    expect(await subjects('ada', 'correct: horse', '?account=shop')).toEqual([])
  })

  it.each([
    ['another password', 'ada', 'battery stäple'],
    ['an unknown name', 'nobody', 'correct: horse'],
    ['no password', 'ada', ''],
    ['the hash', 'ada', 'hash'],
  ])('with %s is refused, and asked again', async (_, name, password) => {
    const answer = await list(name, password === 'hash' ? (hashes[0] ?? '') : password)
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="localpost"'])
    expect(answer.text).toBe('The user name or the password is wrong.')
  })

  it('calls no other interface with them', async () => {
    const headers = basic('ada', 'correct: horse')
    for (const path of ['/dev/inbox', '/v1/emails/x', '/resend/emails/x', '/dev/nothing'])
      expect((await server.call('GET', path, undefined, headers)).status, path).toBe(401)
  })

  it('loses access with the old password, at once and also in an open websocket', async () => {
    const headers = basic('grace', 'battery stäple')
    const socket = await openWebSocket(`${server.url}/api/events`, { headers })
    expect(socket.answer).toContain(' 101 ')
    write(`ada:admin:default:${hashes[0]}`, `grace:member:default:${hashes[0]}`)
    await socket.closed
    expect(socket.control.at(-1)).toBe('close 1008')
    expect((await list('grace', 'battery stäple')).status).toBe(401)
    expect(await subjects('grace', 'correct: horse')).toEqual(['in default'])
  })

  it('is not kept out by wrong passwords of others, which are limited', async () => {
    expect((await list('ada', 'correct: horse')).status).toBe(200)
    // At once: on a slow machine, checking 20 one by one takes longer than the minute in which they count.
    const answers = await Promise.all(Array.from({ length: 25 }, (_, i) => list('ada', `wrong ${i}`)))
    const limited = answers.find(({ status }) => status === 429)
    expect(limited?.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(limited?.text).toContain('Too many sign-ins')
    // It is remembered, so nothing is checked.
    expect((await list('ada', 'correct: horse')).status).toBe(200)
    expect((await list('ada', server.post.apiKey)).status).toBe(200)
  })
})
