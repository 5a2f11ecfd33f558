import type { IncomingMessage } from 'node:http'
import { type Duplex, Readable } from 'node:stream'
import { clearTimeout, setTimeout } from '../core/machine.ts'
import { type Answer } from './answer.ts'
import { streamBody } from './body-streams.ts'

/**
 * Keeps the end of an answer back until its request has been read. Many clients write their whole body before they read
 * the answer. Without this, Node would close a connection with `Connection: close` right after an early answer, such as
 * 413, and the client would get a connection reset instead of the answer.
 *
 * @returns The answer with a known length, so that a client that reads while it writes need not wait for the end.
 */
export function endAfterRequest(answer: Answer, request: IncomingMessage): Answer {
  const { body } = answer
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  if (!(bytes instanceof Uint8Array)) return answer
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    yield bytes
    await restOfRequest(request)
  }
  const headers = { ...answer.headers, 'content-length': String(bytes.length) }
  return { ...answer, headers, body: streamBody(Readable.from(pieces())) }
}

/**
 * Reads and drops the rest of a request, at most {@link maxRest}. A client that sends more or takes longer is
 * disconnected.
 *
 * @returns At the end of the request or of its connection.
 */
export function restOfRequest(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (request.complete || request.destroyed) return resolve()
    let size = 0
    const cut = (): void => void request.destroy()
    const deadline = setTimeout(cut, maxRest.ms).unref()
    const onData = (piece: Buffer): void => {
      size += piece.length
      if (size > maxRest.bytes) cut()
    }
    const onEnd = (): void => {
      clearTimeout(deadline)
      request.off('data', onData)
      resolve()
    }
    // Without a listener for 'error', the error of a closed connection would be thrown.
    request.on('data', onData).on('error', onEnd).once('end', onEnd).once('close', onEnd).resume()
  })
}

/** How much of an already answered request is read: more than the largest body of any route. */
export const maxRest: { readonly bytes: number; readonly ms: number } = {
  bytes: 64 * 1024 * 1024,
  ms: 10_000,
}

/** How long a client has to take the end of what it is sent. */
const closingMs = 1000

/** Ends a connection with the last that goes out, and destroys it once that is sent. */
export function endSocket(socket: Duplex, last?: string | Uint8Array): void {
  const closing = setTimeout(() => socket.destroy(), closingMs).unref()
  socket.once('close', () => clearTimeout(closing))
  socket.end(last, () => socket.destroy())
}
