import { hash } from 'node:crypto'
import type { Socket } from 'node:net'
import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { clearTimeout, setTimeout } from '../core/machine.ts'
import { closeFrame, createFrameReader, pongFrame } from './websocket-frames.ts'
import { maxWaitingBytes } from './push-stream.ts'

/**
 * Checks the request for a websocket.
 *
 * @param isUpgrade  Whether its connection can become one; not in process, and not where another server has the connection.
 * @returns The value of `Sec-WebSocket-Accept`.
 * @throws invalid_request with the status 426 or 400.
 * @see RFC 6455 section 4.2
 */
export function acceptWebSocket(headers: Pick<Headers, 'get'>, isUpgrade: boolean): string {
  if (!isUpgrade) {
    const message =
      'This is a websocket. Open it with a client for websockets, over HTTP/1.1 and not through `fetch`.'
    throw refused(message, { upgrade: 'websocket', connection: 'Upgrade' })
  }
  const version = headers.get('sec-websocket-version') ?? ''
  if (version !== '13') {
    const message = `The request has Sec-WebSocket-Version: ${quote(version)}. Use version 13.`
    throw refused(message, { 'sec-websocket-version': '13' })
  }
  const key = headers.get('sec-websocket-key') ?? ''
  if (!/^[A-Za-z\d+/]{22}==$/.test(key)) {
    const message = `The request has Sec-WebSocket-Key: ${quote(key)}, which is not 16 bytes in base64.`
    throw new LocalpostError('invalid_request', message)
  }
  return hash('sha1', `${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`, 'base64')
}

function refused(message: string, headers: Readonly<Record<string, string>>): LocalpostError {
  return new LocalpostError('invalid_request', message, { status: 426, headers })
}

/** A connection that becomes a websocket. */
export interface AcceptedWebSocket {
  /** Of the answer with the status 101. */
  readonly headers: Readonly<Record<string, string>>
  /** The frames that are sent. Its end closes the connection. */
  readonly frames: ReadableStream<Uint8Array>
}

/** The open websockets of a server. */
export interface WebSockets {
  /** @param head  What came after the request. */
  open(socket: Socket, head: Uint8Array, accepted: AcceptedWebSocket): void
  /** Closes all of them. A further one is closed at once. */
  close(): void
}

export function createWebSockets(): WebSockets {
  const all = new Set<() => void>()
  let isClosed = false
  return {
    open(socket, head, accepted) {
      // Its event `close` is over, so nothing else would cancel the frames.
      if (socket.destroyed) return void accepted.frames.cancel().catch(() => undefined)
      const close = runWebSocket(socket, head, accepted, () => all.delete(close))
      all.add(close)
      if (isClosed) close()
    },
    close() {
      isClosed = true
      for (const close of all) close()
    },
  }
}

/** How long a client may send nothing, not even the answer to a ping. */
const silenceMs = 60_000
/** How long a client has to close the connection. */
const closingMs = 1000

/** @see RFC 6455 section 7.4.1 */
const codes = { goingAway: 1001, policy: 1008 } as const

/** @returns A function that closes the websocket. */
function runWebSocket(
  socket: Socket,
  head: Uint8Array,
  { headers, frames }: AcceptedWebSocket,
  onEnd: () => void,
): () => void {
  const reader = frames.getReader()
  const read = createFrameReader()
  let isClosing = false
  let isOver = false
  /** Ends the wait for a client that reads slowly. */
  let goOn = (): void => {}
  const silence = setTimeout(() => socket.destroy(), silenceMs).unref()

  function close(code: number | null): void {
    if (isClosing) return
    isClosing = true
    void reader.cancel().catch(() => undefined)
    socket.end(closeFrame(code))
    setTimeout(() => socket.destroy(), closingMs).unref()
  }
  function onData(piece: Uint8Array): void {
    silence.refresh()
    for (const frame of read(piece)) {
      if (frame.kind !== 'ping') close(frame.code)
      // A client may ask without reading the answers.
      else if (socket.writableLength > maxWaitingBytes) socket.destroy()
      else if (!isClosing) socket.write(pongFrame(frame.payload))
    }
  }
  async function send(): Promise<void> {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || isClosing) return close(codes.goingAway)
      if (!socket.write(value) && !isOver) await new Promise<void>((resolve) => (goOn = resolve))
    }
  }
  // A client that does not read, and sends, must not outlive the end of its frames.
  function onOver(): void {
    isOver = true
    goOn()
  }

  socket.setTimeout(0).setNoDelay(true)
  socket
    .on('error', () => socket.destroy())
    .on('drain', () => goOn())
    .once('end', () => close(null))
    .once('close', () => {
      isClosing = true
      clearTimeout(silence)
      void reader.cancel().catch(() => undefined)
      onEnd()
    })
  reader.closed.then(onOver, onOver)
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 101 Switching Protocols\r\n${fields.join('')}\r\n`)
  if (head.length > 0) onData(head)
  socket.on('data', onData)
  // It fails if the client does not read, and if it may not read any more.
  send().catch(() => close(codes.policy))
  return () => close(codes.goingAway)
}
