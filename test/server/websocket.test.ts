import { once } from 'node:events'
import { connect, createServer, type AddressInfo, Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createWebSockets } from '../../src/server/websocket.ts'
import { start } from '../support/instance.ts'

const ask = 'GET /api/events HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n'
const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
const connecting = 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n'

/** What takes a connection from Node's server, and what is answered. */
const taken: [what: string, request: string, answer: RegExp][] = [
  ['a websocket', `${ask}${key}\r\n`, / 101 /],
  ['a refused websocket', `${ask}\r\n`, / 426 /],
  ['another path', `${ask.replace('/api/events', '/livez')}\r\n`, / 200 /],
  ['CONNECT', connecting, / 405 /],
]

async function send(port: number, request: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.write(request)
  return socket
}

describe.each(taken)('a client that asks for %s', (_, request, answer) => {
  it('and resets its connection leaves the instance running', async () => {
    const post = await start()
    const { port, url } = await post.listen()
    const early = await send(port, request)
    early.resetAndDestroy()
    const late = await send(port, request)
    expect(String((await once(late, 'data'))[0])).toMatch(answer)
    late.resetAndDestroy()
    for (let i = 0; i < 3; i++) expect((await fetch(`${url}/livez`)).status).toBe(200)
  })

  it('and keeps its side open does not keep the instance from closing', async () => {
    const post = await start()
    const { port } = await post.listen()
    const socket = await send(port, request)
    expect(String((await once(socket, 'data'))[0])).toMatch(answer)
    await post.close()
  })
})

it('a long answer to a request for a websocket is whole', async () => {
  const post = await start()
  const { port } = await post.listen()
  const { id } = await post.inbox.import(Buffer.from(`Subject: x\r\n\r\n${'line\r\n'.repeat(1_000_000)}`))
  const socket = await send(port, `${ask.replace('/api/events', `/dev/inbox/${id}/raw`)}\r\n`)
  let bytes = 0
  for await (const piece of socket) bytes += (piece as Buffer).length
  expect(bytes).toBeGreaterThan(6_000_000)
})

async function pairOf(): Promise<[server: Socket, client: Socket]> {
  const server = createServer()
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const accepted = once(server, 'connection')
  const client = await send((server.address() as AddressInfo).port, '')
  return [(await accepted)[0] as Socket, client]
}

describe('the frames', () => {
  it('are cancelled if the client left before the websocket was open', () => {
    const cancel = vi.fn()
    const socket = new Socket()
    socket.destroy()
    createWebSockets().open(socket, Buffer.alloc(0), { headers: {}, frames: new ReadableStream({ cancel }) })
    expect(cancel).toHaveBeenCalledOnce()
  })

  it.each(['close', 'error'] as const)(
    'end the connection of a client that does not read: %s',
    async (end) => {
      const [socket] = await pairOf()
      let source: ReadableStreamDefaultController<Uint8Array> | null = null
      const frames = new ReadableStream<Uint8Array>({
        start(controller) {
          source = controller
          controller.enqueue(new Uint8Array(20_000_000))
        },
      })
      createWebSockets().open(socket, Buffer.alloc(0), { headers: {}, frames })
      await vi.waitUntil(() => socket.writableNeedDrain)
      ;(source as ReadableStreamDefaultController<Uint8Array> | null)?.[end]()
      await vi.waitUntil(() => socket.writableEnded)
    },
  )
})
