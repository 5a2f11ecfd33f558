import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A client for websockets that sends what it is told, also what no real client sends. */
export interface RawWebSocket {
  readonly socket: Socket
  /** The status line and the header of the answer, and for an error its body. */
  readonly answer: string
  /** The texts of the messages so far. */
  readonly messages: string[]
  /** The codes of close frames, the opcodes of other frames that are no messages, in their order. */
  readonly control: string[]
  /** Sends a frame with this first byte. */
  send(first: number, payload?: Uint8Array, options?: { masked?: boolean }): void
  /** Waits until the condition holds. */
  until(holds: () => boolean): Promise<void>
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>
}

export async function openWebSocket(
  url: string,
  { headers = {}, method = 'GET' }: { headers?: Record<string, string>; method?: string } = {},
): Promise<RawWebSocket> {
  const { hostname, port, host, pathname, search } = new URL(url)
  const socket = connect(Number(port), hostname)
  const all = {
    host,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  }
  const fields = Object.entries(all).filter(([, value]) => value !== '')
  socket.write(
    `${method} ${pathname}${search} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  )
  let rest = Buffer.alloc(0)
  let answer = ''
  const messages: string[] = []
  const control: string[] = []
  const changed = new Set<() => void>()
  let isClosed = false
  const closed = once(socket, 'close').then(() => {
    isClosed = true
    for (const look of changed) look()
  })
  socket.on('error', () => undefined)

  function read(): void {
    while (rest.length >= 2) {
      const short = (rest[1] ?? 0) & 0x7f
      const start = short < 126 ? 2 : short === 126 ? 4 : 10
      if (rest.length < start) return
      const length =
        short < 126 ? short : short === 126 ? rest.readUInt16BE(2) : Number(rest.readBigUInt64BE(2))
      if (rest.length < start + length) return
      const payload = rest.subarray(start, start + length)
      const opcode = (rest[0] ?? 0) & 0x0f
      if (opcode === 1) messages.push(payload.toString())
      else if (opcode === 8) control.push(`close ${length >= 2 ? payload.readUInt16BE(0) : ''}`.trim())
      else control.push(opcode === 9 ? 'ping' : `pong ${payload.toString()}`)
      rest = rest.subarray(start + length)
    }
  }
  socket.on('data', (piece: Buffer) => {
    rest = Buffer.concat([rest, piece])
    if (!answer.includes('\r\n\r\n')) {
      const end = rest.indexOf('\r\n\r\n')
      if (end === -1) return
      answer = rest.subarray(0, end + 4).toString()
      rest = rest.subarray(end + 4)
    }
    if (answer.startsWith('HTTP/1.1 101')) read()
    for (const look of changed) look()
  })

  async function until(holds: () => boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (holds()) resolve()
        else if (isClosed) reject(new Error('The connection was closed.'))
        else return
        changed.delete(look)
      }
      changed.add(look)
      look()
    })
  }

  await until(() => answer !== '')
  if (!answer.startsWith('HTTP/1.1 101')) {
    await closed
    answer += rest.toString()
  }
  return {
    socket,
    messages,
    control,
    closed,
    until,
    get answer() {
      return answer
    },
    send(first, payload = Buffer.alloc(0), { masked = true } = {}) {
      const { length } = payload
      const head = length < 126 ? Buffer.from([length]) : Buffer.from([126, length >> 8, length & 0xff])
      if (masked) head[0] = (head[0] ?? 0) | 0x80
      const mask = Buffer.from(masked ? [1, 2, 3, 4] : [])
      const body = Buffer.from(payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0)))
      socket.write(Buffer.concat([Buffer.from([first]), head, mask, body]))
    },
  }
}
