import type { SMTPServerDataStream } from 'smtp-server'
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js'
import { nextTick } from '../core/machine.ts'

/**
 * smtp-server's parser of commands, with another one for data: the original removes a dot after a bare LF, which changes
 * messages, examines each octet separately, and waits a turn of the event loop for each stuffed dot.
 */
export class CaptureStream extends SMTPStream {
  #scanner: DataScanner = new DataScanner()
  readonly #onTls: () => void

  /** @param onTls  Called when a client begins a TLS handshake instead of sending a command. */
  constructor(maxCommandLength: number | undefined, onTls: () => void = () => {}) {
    // As much as is read from a socket at once, so that it does not pause for each chunk.
    super({ maxCommandLength, highWaterMark: 64 * 1024 + 1 })
    this.#onTls = onTls
  }

  /** Whether received input is still being processed, so that the client waits for the server. */
  get isBusy(): boolean {
    return this.writableLength > 0
  }

  override _write(...given: Parameters<SMTPStream['_write']>): void {
    if (!this._dataMode && this._remainder === '' && isTlsRecord(given[0])) return this.#onTls()
    super._write(...given)
  }

  override startDataMode(maxBytes?: number | string | null): SMTPServerDataStream {
    this.#scanner = new DataScanner()
    return super.startDataMode(maxBytes)
  }

  override _feedDataStream(chunk: Buffer, done: () => void): void {
    const stream = this._dataStream
    if (!stream) return done()
    const { content, rest } = this.#scanner.feed(chunk)
    this._countDataBytes(content.length)
    if (rest) {
      // The rest is commands, which wait until the message is answered. They wait for another turn, because the base forgets
      // what would continue a message that came in the same one.
      const proceed = (): void => nextTick(() => this._write(rest, 'buffer', done))
      return this._endDataMode(content, nothing, proceed)
    }
    if (content.length === 0 || !stream.writable || stream.write(content) || stream.destroyed) return done()
    // A stream that was destroyed never drains.
    const proceed = (): void => {
      stream.off('drain', proceed)
      stream.off('close', proceed)
      done()
    }
    stream.once('drain', proceed)
    stream.once('close', proceed)
  }
}

const nothing = Buffer.alloc(0)

/**
 * Scans the octets after DATA: removes stuffed dots and finds the end of the message. Only CRLF begins a new line. After
 * other line ends a dot is neither removed nor ends the message, which prevents SMTP smuggling.
 *
 * @see RFC 5321 section 4.5.2
 */
export class DataScanner {
  /** Octets kept for the next chunk, because they may begin CRLF and a dot. Data begins as if CRLF came before it. */
  #held: Buffer = lineEnd
  /** How many of the kept octets are not content of the message. */
  #foreign = 2

  /** @returns The content of a chunk; and the rest after the end of the message, null if the end was not found. */
  feed(chunk: Buffer): { content: Buffer; rest: Buffer | null } {
    // At the start the virtual CRLF matters only before a dot. Otherwise the chunk is used without a copy.
    const isPlainStart = this.#held === lineEnd && chunk.length > 0 && chunk[0] !== dot
    const input = isPlainStart || this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const pieces: Buffer[] = []
    let from = isPlainStart ? 0 : this.#foreign
    let at = input.indexOf(dotLine)
    for (; at !== -1; at = input.indexOf(dotLine, from)) {
      const next = input[at + 3]
      const afterNext = input[at + 4]
      if (next === undefined || (next === cr && afterNext === undefined)) break
      pieces.push(input.subarray(from, at + 2))
      if (next === cr && afterNext === lf) return { content: joined(pieces), rest: input.subarray(at + 5) }
      from = at + 3
    }
    const holdFrom = at === -1 ? input.length - lineEndLength(input) : at
    pieces.push(input.subarray(from, Math.max(from, holdFrom)))
    // Copied, because a slice of a few octets would keep the whole chunk in memory.
    this.#held = Buffer.from(input.subarray(holdFrom))
    this.#foreign = Math.max(0, from - holdFrom)
    return { content: joined(pieces), rest: null }
  }
}

const cr = 0x0d
const dot = 0x2e
const lf = 0x0a
const lineEnd = Buffer.from('\r\n')
const dotLine = Buffer.from('\r\n.')

function joined(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces
  return pieces.length === 1 && first ? first : Buffer.concat(pieces)
}

/** How many octets at the end may be the beginning of a line end. */
function lineEndLength(input: Buffer): number {
  const last = input.at(-1)
  if (last === cr) return 1
  return last === lf && input.at(-2) === cr ? 2 : 0
}

/** Whether the bytes begin a TLS handshake record (RFC 8446 section 5.1). */
function isTlsRecord(bytes: Uint8Array): boolean {
  return bytes[0] === 0x16 && bytes[1] === 0x03
}
