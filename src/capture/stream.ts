import { isAscii } from 'node:buffer'
import type { SMTPServerDataStream } from 'smtp-server'
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js'
import { DataScanner, MessageData } from './data.ts'
import { setImmediate } from '../core/machine.ts'

const cr = 0x0d

/**
 * Replaces how smtp-server reads commands and data. The original creates a Buffer for each command line, which
 * its callers convert back to a string. In DATA it also removes a dot after a bare LF, which changes messages, examines
 * each octet separately, and waits a turn of the event loop for each stuffed dot. For many mails in one chunk, the original
 * takes quadratic time: the place `smtp lines` in bench/places.mjs.
 */
export class CaptureStream extends SMTPStream {
  /** Of the present DATA; `startDataMode` begins a new one. */
  #scanner: DataScanner = new DataScanner()
  // The next four belong together: `write` and `_final` note what is to be done later, and the end of a chunk does it. One
  // chunk is processed at a time, from `#processChunk` until its `done`.
  /** Whether a chunk is being processed. */
  #isBusy = false
  /** The chunks after it; empty unless one is being processed. */
  readonly #waiting: Buffer[] = []
  /** Whether the socket waits for `drain`. */
  #needsDrain = false
  /** The callback of the stream's end; null until the stream ends while a chunk is processed. */
  #onIdle: (() => void) | null = null
  /** Whether more input was received after the current command. Set before each call of `onLine`, and at the end of DATA. */
  #hasNext = false
  readonly #onLine: (line: string, done?: () => void) => void
  readonly #onTls: (hello: Buffer) => void

  /** @param onLine  Calls `done` for the next line. @param onTls  Called if a client begins a TLS handshake instead. */
  constructor(
    maxLineLength: number | undefined,
    onLine: (line: string, done?: () => void) => void,
    onTls: (hello: Buffer) => void = () => {},
  ) {
    super({ maxCommandLength: maxLineLength })
    this.#onLine = onLine
    this.#onTls = onTls
  }

  /** Whether the client has already sent more (pipelining), so that this reply can be sent together with the next ones. */
  get hasMore(): boolean {
    return this.#hasNext || this.#waiting.length > 0
  }

  /** Whether received input is still being processed, so that the client waits for the server. */
  get isBusy(): boolean {
    return this.#isBusy
  }

  /** Handles a last line without a line end, when the client has closed its side. */
  override oncommand(line: Buffer): void {
    // The reply must be sent at once, because the socket ends after this turn.
    this.#hasNext = false
    this.#onLine(line.toString())
  }

  /** Processes a chunk, at once if no other is processed. Node's stream machinery would cost more than small chunks. */
  override write(chunk: Buffer | string): boolean {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    if (this.#isBusy) this.#waiting.push(bytes)
    else this.#processChunk(bytes)
    this.#needsDrain ||= this.#isBusy
    return !this.#isBusy
  }

  /** Waits until all chunks written before the end are processed. */
  override _final(done: (error?: Error | null) => void): void {
    if (this.#isBusy) this.#onIdle = done
    else done()
  }

  #processChunk(chunk: Buffer): void {
    this.#isBusy = true
    this.#dispatch(chunk, (error) => {
      this.#isBusy = false
      if (error) return void this.destroy(error)
      const next = this.#waiting.shift()
      if (next) return this.#processChunk(next)
      this.#onIdle?.()
      if (!this.#needsDrain) return
      this.#needsDrain = false
      this.emit('drain')
    })
  }

  #dispatch(chunk: Buffer, done: (error?: Error) => void): void {
    if (this.isClosed || chunk.length === 0) done()
    else if (this._dataMode) this._feedDataStream(chunk, done)
    else this.#readLines(chunk, done)
  }

  /** Passes on one line after the other, each when the last is done. What follows a DATA command is message data. */
  #readLines(chunk: Buffer, done: (error?: Error) => void): void {
    // `done` is not called, because nothing more is read here: TLS takes the socket, or the connection is closed.
    if (this._remainder === '' && isTlsRecord(chunk)) return this.#onTls(chunk)
    const lines = new ChunkLines(this._remainder, chunk)
    this._remainder = ''
    let handled = 0
    // A line may be done within the call that passes it on: `readOn` then only notes that, because recursion would have a
    // depth for each line. Unlike at the end of DATA, the next line follows in the same turn.
    let isReading = false
    let isDone = false
    const readOn = (): void => {
      isDone = true
      if (isReading) return
      isReading = true
      try {
        while (isDone) {
          isDone = false
          // Everything after QUIT is ignored.
          if (this.isClosed) return done()
          if (this._dataMode) return this.#dispatch(lines.rest(), done)
          const line = lines.next()
          if (line.length > this._maxCommandLength) return done(this._commandTooLong())
          if (lines.isCut) {
            this._remainder = line
            return done()
          }
          this.#hasNext = lines.hasMore
          this.#onLine(lines.textOf(line), readOn)
          // A chunk full of commands must not block other connections.
          if (isDone && ++handled % maxLinesAtOnce === 0) {
            isDone = false
            setImmediate(readOn)
          }
        }
      } finally {
        isReading = false
      }
    }
    readOn()
  }

  override startDataMode(maxBytes?: number | string | null): SMTPServerDataStream {
    this.#scanner = new DataScanner()
    this._dataMode = true
    this._maxBytes = Number(maxBytes) || Infinity
    this.dataBytes = 0
    return (this._dataStream = new MessageData().asStream())
  }

  override _feedDataStream(chunk: Buffer, done: () => void): void {
    const stream = this._dataStream
    if (!stream) return done()
    const { content, rest } = this.#scanner.feed(chunk)
    this._countDataBytes(content.length)
    if (rest) return this.#endData(content, rest, done)
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

  /** The message is complete. The rest of the chunk is commands, which wait until the message is answered. */
  #endData(content: Buffer, rest: Buffer, done: () => void): void {
    const stream = this._dataStream
    const continueWithRest = (): void => this.#dispatch(rest, done)
    // The base's member is `true` if `continue` was called before the end of the message, for example because its stream was
    // destroyed; a function if it is still to be called; else `false`.
    const isAnswered = this._continueCallback === true
    let isEnding = true
    this._continueCallback = isAnswered
      ? false
      : () => {
          // Without setImmediate, a chunk with many messages would recurse once per message.
          if (isEnding && rest.length > 0) setImmediate(continueWithRest)
          else continueWithRest()
        }
    this._dataMode = false
    this._dataStream = null
    this.#hasNext = rest.length > 0
    // The message may be answered within this call.
    stream?.end(content)
    isEnding = false
    if (isAnswered) continueWithRest()
  }

  /** Continues after a message. The base would clear the callback only after its call, which may have set the next one. */
  override continue(): void {
    const continueWithRest = this._continueCallback
    if (typeof continueWithRest !== 'function') return super.continue()
    this._continueCallback = false
    continueWithRest()
  }
}

/** The lines of a chunk. The first one begins with the end of the previous chunk, which had no line end. */
class ChunkLines {
  readonly #chunk: Buffer
  /** The length of that beginning, which is never in message data: `rest` begins after a line that ends in the chunk. */
  readonly #held: number
  /** One character for each octet, so that positions in the text are positions in the chunk. */
  readonly #octets: string
  /** Whether a line is its own text. */
  readonly #isText: boolean
  #at = 0
  /** Whether the last line has no line end yet. */
  isCut = false

  constructor(held: string, chunk: Buffer) {
    this.#chunk = chunk
    this.#held = held.length
    this.#octets = held + chunk.toString('latin1')
    // A substring keeps the whole string in memory, and transcripts keep lines. A long text is therefore copied.
    this.#isText = this.#octets.length <= 1024 && isAscii(chunk) && !/[^\x00-\x7f]/.test(held)
  }

  get hasMore(): boolean {
    return this.#at < this.#octets.length
  }

  /** The next line without its end, one character for each octet. */
  next(): string {
    const start = this.#at
    const end = this.#octets.indexOf('\n', start)
    this.isCut = end === -1
    if (end === -1) return this.#octets.slice(start)
    this.#at = end + 1
    return this.#octets.slice(start, end > start && this.#octets.charCodeAt(end - 1) === cr ? end - 1 : end)
  }

  textOf(line: string): string {
    return this.#isText ? line : Buffer.from(line, 'latin1').toString()
  }

  /** The octets after the last line. */
  rest(): Buffer {
    return this.#chunk.subarray(this.#at - this.#held)
  }
}

/** How many commands are processed in one turn of the event loop. */
const maxLinesAtOnce = 100

/** Whether the bytes begin a TLS handshake record (RFC 8446 section 5.1). */
function isTlsRecord(bytes: Uint8Array): boolean {
  return bytes[0] === 0x16 && (bytes.length === 1 || bytes[1] === 0x03)
}
