import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createLocalpost } from '../../../src/index.ts'
import { openWebSocket, type RawWebSocket } from '../../support/websocket.ts'
import { listed } from './_declared.ts'
import { openMailpit, type MailpitServer } from './_server.ts'

interface Message {
  Type: string
  Data: { ID?: string; Read?: boolean; Tags?: string[]; Total?: number; Unread?: number } | null
}

let server: MailpitServer
const open: RawWebSocket[] = []
beforeAll(async () => {
  server = await openMailpit()
  return server.end
})
beforeEach(async () => void (await server.post.inbox.removeAll()))
afterEach(() => open.splice(0).forEach(({ socket }) => socket.destroy()))

async function connect(
  options?: Parameters<typeof openWebSocket>[1],
  url = server.url,
): Promise<RawWebSocket> {
  const socket = await openWebSocket(`${url}/api/events`, options)
  open.push(socket)
  return socket
}
const toMessages = ({ messages }: RawWebSocket): Message[] =>
  messages.map((text) => JSON.parse(text) as Message)
/** Waits for a message of this type, and maybe about this mail. */
async function next(socket: RawWebSocket, type: string, id?: string): Promise<Message['Data']> {
  const find = (): Message | undefined =>
    toMessages(socket).find(({ Type, Data }) => Type === type && (id === undefined || Data?.ID === id))
  await socket.until(() => find() !== undefined)
  return find()?.Data ?? null
}
const mail = { from: 'a@example.com', to: 'b@example.com', subject: 'Hi', text: 'Hello' }

describe('the websocket', () => {
  it('opens with the proof of RFC 6455, and tells the numbers at once', async () => {
    const socket = await connect()
    expect(socket.answer).toContain('sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=')
    expect(await next(socket, 'stats')).toEqual({
      Total: 0,
      Unread: 0,
      Version: expect.stringContaining('localpost') as string,
    })
  })

  it('tells of each new message with the members of lists, and of what becomes of it', async () => {
    const socket = await connect()
    const id = await server.submit(mail)
    const data = await next(socket, 'new', id)
    expect(listed.safeParse(data).error).toBeUndefined()
    expect(data).toMatchObject({ ID: id, Subject: 'Hi', Snippet: 'Hello', Read: false })
    await server.call('GET', `/api/v1/message/${id}`)
    await socket.until(() => toMessages(socket).some(({ Type, Data }) => Type === 'update' && Data?.Read))
    await server.call('PUT', '/api/v1/tags', { IDs: [id], Tags: ['one'] })
    await socket.until(() => toMessages(socket).some(({ Data }) => Data?.Tags?.includes('one')))
    const other = await server.submit(mail)
    await server.call('DELETE', '/api/v1/messages', { IDs: [id] })
    expect(await next(socket, 'delete')).toEqual({ ID: id })
    expect(toMessages(socket).map(({ Type }) => Type)).not.toContain('truncate')
    await server.call('DELETE', '/api/v1/messages')
    expect(await next(socket, 'truncate')).toBeNull()
    expect(await next(socket, 'delete', other)).toEqual({ ID: other })
    await socket.until(() => toMessages(socket).at(-1)?.Type === 'stats')
    expect(toMessages(socket).at(-1)?.Data).toMatchObject({ Total: 0, Unread: 0 })
  })

  it('tells of a change of many messages in one', async () => {
    const { post } = server
    for (let i = 0; i < 120; i++)
      await post.emails.send({ from: 'a@acme.test', to: 'b@acme.test', subject: `${i}`, text: 'x' })
    const socket = await connect()
    await server.call('PUT', '/api/v1/messages', { Read: true })
    expect(await next(socket, 'prune')).toBeNull()
  })

  it('answers a ping and a close, and drops what clients say', async () => {
    const socket = await connect()
    socket.send(0x81, Buffer.from('hello'))
    socket.send(0x89, Buffer.from('there?'))
    await socket.until(() => socket.control.includes('pong there?'))
    socket.send(0x88, Buffer.from([0x03, 0xe8]))
    await socket.closed
    expect(socket.control.at(-1)).toBe('close 1000')
  })

  it('closes for a client that breaks the protocol', async () => {
    const socket = await connect()
    socket.send(0x81, Buffer.from('x'), { masked: false })
    await socket.closed
    expect(socket.control.at(-1)).toBe('close 1002')
  })

  it('reads what comes together with the request', async () => {
    const socket = await connect({ headers: { 'x-rest': 'x\r\n\r\n\x09\x00' } })
    await socket.closed
    expect(socket.control.at(-1)).toBe('close 1002')
  })

  it('has at most 100 clients', async () => {
    for (let i = 0; i < 100; i++) await connect()
    const refused = await connect()
    expect(refused.answer).toMatch(/^HTTP\/1.1 503 .*100 websockets are open/s)
    expect((await server.call('GET', '/api/v1/messages')).status).toBe(200)
  })
})

describe('a request for the websocket', () => {
  it.each<[what: string, headers: Record<string, string>, answer: RegExp]>([
    ['of another origin', { origin: 'https://evil.example' }, /^HTTP\/1.1 403 .*may not call/s],
    ['of a sandboxed frame', { origin: 'null' }, /^HTTP\/1.1 403 /],
    ['of another host', { host: 'evil.example' }, /^HTTP\/1.1 403 .*evil\.example/s],
    ['of another version', { 'sec-websocket-version': '8' }, /^HTTP\/1.1 426 .*sec-websocket-version: 13/is],
    ['without a key', { 'sec-websocket-key': '' }, /^HTTP\/1.1 400 .*Sec-WebSocket-Key/s],
  ])('%s is refused, and its connection closed', async (_, headers, answer) => {
    const socket = await connect({ headers })
    await socket.closed
    expect(socket.answer).toMatch(answer)
  })

  it('of the own origin is answered', async () => {
    expect((await connect({ headers: { origin: server.url } })).answer).toContain(' 101 ')
  })

  it('without an upgrade, or in process, says how', async () => {
    const plain = await server.call('GET', '/api/events')
    expect([plain.status, plain.headers.get('upgrade')]).toEqual([426, 'websocket'])
    const request = new Request('http://localhost/api/events', { headers: { upgrade: 'websocket' } })
    expect((await server.post.fetch(request)).status).toBe(426)
  })

  it('to another path is answered as any other', async () => {
    const socket = await openWebSocket(`${server.url}/api/v1/messages`)
    expect(socket.answer).toMatch(/^HTTP\/1.1 200 .*"messages_count":0/s)
  })

  it.each(['h2c', 'websocket'])(
    'with a body, for %s, is answered as without the upgrade',
    async (upgrade) => {
      const body = JSON.stringify({ From: { Email: 'a@example.com' }, To: [{ Email: 'b@example.com' }] })
      const headers = {
        upgrade,
        connection: 'upgrade, close',
        'content-length': `${body.length}`,
        'x-rest': `x\r\n\r\n${body}`,
      }
      const socket = await openWebSocket(`${server.url}/api/v1/send`, { headers, method: 'POST' })
      expect(socket.answer).toMatch(/^HTTP\/1.1 200 .*"ID":"em_/s)
    },
  )

  it('is for the account of its key, which it needs as /dev does', async () => {
    const keyed = await openMailpit({ requireKey: true })
    try {
      const { post, url } = keyed
      expect((await connect({}, url)).answer).toMatch(/^HTTP\/1.1 401 /)
      const other = await post.accounts.create({ name: 'other' })
      const with_ = (key: string): Parameters<typeof openWebSocket>[1] => ({
        headers: { authorization: `Basic ${Buffer.from(`any:${key}`).toString('base64')}` },
      })
      const [own, theirs] = [await connect(with_(post.apiKey), url), await connect(with_(other.api_key), url)]
      const id = await keyed.submit(mail)
      await next(own, 'new', id)
      await next(theirs, 'stats')
      expect(theirs.messages.join()).not.toContain(id)
      await post.accounts.remove(other.name)
      await theirs.closed
      expect(theirs.control.at(-1)).toBe('close 1008')
    } finally {
      await keyed.end()
    }
  })
})

it('closing the server closes its websockets at once', async () => {
  const post = await createLocalpost()
  const { url } = await post.listen()
  const socket = await connect({}, url)
  await next(socket, 'stats')
  await post.close()
  await socket.closed
  expect(socket.control.at(-1)).toBe('close 1001')
})
