import { EventEmitter } from 'node:events'
import type { SMTPServerDataStream } from 'smtp-server'

const cr = 0x0d
const dot = 0x2e
const lf = 0x0a
const lineEnd = Buffer.from('\r\n')
const dotLine = Buffer.from('\r\n.')

/**
 * Scans the octets after DATA: removes stuffed dots and finds the end of the message. Only CRLF begins a new line. After
 * other line ends a dot is neither removed nor ends the message, which prevents SMTP smuggling.
 *
 * @see RFC 5321 section 4.5.2
 */
export class DataScanner {
  /** Octets kept for the next chunk, because they may begin CRLF and a dot. Data begins as if CRLF came before it. */
  #held: Buffer = lineEnd
  /** How many of the kept octets are not content: they were passed on already, or are the virtual CRLF. */
  #notContent = 2

  /** @returns The content of a chunk; and the rest after the end of the message, null if the end was not found. */
  feed(chunk: Buffer): { content: Buffer; rest: Buffer | null } {
    // At the start the virtual CRLF matters only before a dot. Otherwise the chunk is used without a copy.
    const isPlainStart = this.#held === lineEnd && chunk.length > 0 && chunk[0] !== dot
    const input = isPlainStart || this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const pieces: Buffer[] = []
    let from = isPlainStart ? 0 : this.#notContent
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
    this.#notContent = Math.max(0, from - holdFrom)
    return { content: joined(pieces), rest: null }
  }
}

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

/**
 * A stream of the content of one DATA, with back-pressure. It emits `data` for each piece, then `end`. If the client
 * disconnects, it emits `error` and `close` instead. It replaces the Node stream of smtp-server and has the members that
 * smtp-server uses. Unlike that stream, it passes each piece on immediately and flows only after `resume`.
 */
export class MessageData extends EventEmitter {
  /** Octets received, and whether they exceed the size limit. smtp-server sets both. */
  byteLength = 0
  sizeExceeded = false
  /** Null before the first `resume` or `pause`. */
  readableFlowing: boolean | null = null
  readableEnded = false
  writableEnded = false
  destroyed = false
  #waiting: Buffer[] = []

  get readable(): boolean {
    return !this.readableEnded && !this.destroyed
  }

  get writable(): boolean {
    return !this.writableEnded && !this.destroyed
  }

  /** @returns Whether the next piece may be written now. If not, wait for `drain`; after `close` there is none. */
  write(piece: Buffer): boolean {
    if (this.readableFlowing && this.#waiting.length === 0) this.emit('data', piece)
    else this.#waiting.push(piece)
    return this.readableFlowing === true
  }

  end(piece?: Buffer): void {
    if (piece && piece.length > 0) this.write(piece)
    this.writableEnded = true
    this.#passOn()
  }

  pause(): void {
    this.readableFlowing = false
  }

  resume(): void {
    this.readableFlowing = true
    this.#passOn()
  }

  destroy(error?: Error): void {
    if (this.destroyed) return
    this.destroyed = true
    this.#waiting = []
    if (error) this.emit('error', error)
    this.emit('close')
  }

  #passOn(): void {
    while (this.readableFlowing && this.#waiting.length > 0) this.emit('data', this.#waiting.shift())
    if (!this.readableFlowing || !this.readable) return
    if (!this.writableEnded) return void this.emit('drain')
    this.readableEnded = true
    this.emit('end')
  }

  /** smtp-server's types expect a Node stream. */
  asStream(): SMTPServerDataStream {
    return this as unknown as SMTPServerDataStream
  }
}
