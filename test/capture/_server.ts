import { connect, Socket } from 'node:net'
import { type Capture, startCapture } from '../../src/capture/capture.ts'
import type { CaptureOptions } from '../../src/capture/options.ts'
import type { AccountSide, Envelope } from '../../src/capture/account-side.ts'
import { createVerdicts } from '../../src/rules/verdicts.ts'
import { systemClock } from '../../src/core/clock.ts'
import { createFailedLogins } from '../../src/keys/failed-logins.ts'
import type { ObservedSession } from '../../src/capture/logged-session.ts'

/** A whole message, for tests that do not look at its text. */
export const message = 'From: a@acme.com\r\nTo: b@example.com\r\nSubject: Hi\r\n\r\nHello\r\n'

/** One message that a test server accepted. */
export interface Taken {
  envelope: Envelope
  bytes: Buffer
  outcome: 'open' | 'finished' | 'discarded'
}

export interface TestServer extends Capture {
  taken: Taken[]
  /** The sessions that began. */
  begun: ObservedSession[]
  errors: unknown[]
  [Symbol.asyncDispose](): Promise<void>
}

/** The sockets of {@link RawClient}: a server that closes waits a second for a client in a transaction. */
const clients = new Set<Socket>()

/** A capture server on a free port that keeps the accepted messages. Disposing it closes its clients first. */
export async function testServer(options: Partial<CaptureOptions> = {}): Promise<TestServer> {
  const taken: Taken[] = []
  const begun: ObservedSession[] = []
  const errors: unknown[] = []
  const receive: AccountSide['receive'] = (envelope) => {
    const message: Taken = { envelope, bytes: Buffer.alloc(0), outcome: 'open' }
    const pieces: Uint8Array[] = []
    taken.push(message)
    return {
      write(piece) {
        pieces.push(piece)
        return undefined
      },
      async finish() {
        message.bytes = Buffer.concat(pieces)
        message.outcome = 'finished'
        return `OK: captured as em_${taken.length}`
      },
      async discard() {
        message.outcome = 'discarded'
      },
    }
  }
  const capture = await startCapture({
    host: '127.0.0.1',
    port: 0,
    hostname: 'localhost',
    auth: 'optional',
    tls: false,
    receive,
    sessions: { begin: (session) => begun.push(session), end() {}, leave() {} },
    verdictOf: createVerdicts(),
    rejectSubmissions: false,
    faultAt: () => null,
    clock: systemClock,
    scopeOf: (key) =>
      key === 'lp_key' ? 'full' : key === 'lp_read' ? 'read' : key === 'lp_send' ? 'send' : null,
    deliverySecret: 'secret',
    failedLogins: createFailedLogins(options.clock ?? systemClock),
    onError: (error) => errors.push(error),
    ...options,
  })
  const dispose = async (): Promise<void> => {
    for (const socket of clients) if (socket.remotePort === capture.port) socket.destroy()
    await capture.close()
  }
  return Object.assign(capture, { taken, begun, errors, [Symbol.asyncDispose]: dispose })
}

/** A client that sends exactly the given lines. */
export class RawClient {
  readonly socket: Socket
  #received = ''
  #closed = false
  #wake: () => void = () => {}

  /** @param server  Or a connection to it. */
  constructor(server: { host: string; port: number } | Socket) {
    this.socket = server instanceof Socket ? server : connect(server.port, server.host)
    clients.add(this.socket)
    this.socket.on('data', (piece) => {
      this.#received += piece.toString()
      this.#wake()
    })
    this.socket.on('close', () => {
      this.#closed = true
      clients.delete(this.socket)
      this.#wake()
    })
    this.socket.on('error', () => {})
  }

  get isClosed(): boolean {
    return this.#closed
  }

  /** The next whole reply (its last line has no dash), or the text before the end. */
  async reply(): Promise<string> {
    for (;;) {
      const end = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(this.#received)
      if (end) {
        this.#received = this.#received.slice(end[0].length)
        return end[0].trimEnd()
      }
      if (this.#closed) return this.#received
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Sends a line and waits for its reply. */
  async say(line: string): Promise<string> {
    this.socket.write(`${line}\r\n`)
    return this.reply()
  }

  async closed(): Promise<void> {
    while (!this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

/** A raw client that got the greeting and sent EHLO. */
export async function rawClient(server: { host: string; port: number }): Promise<RawClient> {
  const client = new RawClient(server)
  await client.reply()
  await client.say('EHLO client.test')
  return client
}

/** A raw client that the server recognises as the outbox. */
export async function outboxClient(server: { host: string; port: number }): Promise<RawClient> {
  const client = await rawClient(server)
  const credentials = Buffer.from('\0localpost-outbox\0secret').toString('base64')
  const reply = await client.say(`AUTH PLAIN ${credentials}`)
  if (!reply.startsWith('235')) throw new Error(reply)
  return client
}
