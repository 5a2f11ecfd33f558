import { isAscii } from 'node:buffer'
import type { SMTPServerDataStream } from 'smtp-server'
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js'
import { isTlsRecord } from './client-faults.ts'
import { DataScanner } from './data.ts'
import { MessageData } from './message-data.ts'
import { setImmediate } from '../core/machine.ts'

const cr = 0x0d

/**
 * smtp-server's parser with another way through commands and data. Its own makes bytes of each command line, which
 * everybody behind it makes a text of again. In the data it takes a dot off after a bare LF too, which changes messages,
 * looks at each octet in turn, and spends a turn of the event loop on each stuffed dot.
 */
export class CaptureStream extends SMTPStream {
  #scanner: DataScanner = new DataScanner()
  /** Whether a chunk is under way, what came behind it, and who waits: the socket, and the end of the stream. */
  #isBusy = false
  #isAwaited = false
  readonly #waiting: Buffer[] = []
  #onIdle: (() => void) | null = null

  /** Whether another command was received behind the current one. */
  #hasNext = false

  readonly #onLine: (line: string, done?: () => void) => void

  readonly #onTls: () => void

  /**
   * @param onLine  Takes a line without its end, and says when the next one may come.
   * @param onTls  Called where a client begins a TLS handshake in place of a command.
   */
  constructor(
    maxLineLength: number | undefined,
    onLine: (line: string, done?: () => void) => void,
    onTls: () => void = () => {},
  ) {
    super({ maxCommandLength: maxLineLength })
    this.#onLine = onLine
    this.#onTls = onTls
  }

  /** Whether the client has said more than what is being answered: it does not wait for this answer alone. */
  get hasMore(): boolean {
    return this.#hasNext || this.#waiting.length > 0
  }

  /** Whether something that came is still being worked on: the client waits for the server. */
  get isBusy(): boolean {
    return this.#isBusy
  }

  /** What the client left without a line end when it closed its side. */
  override oncommand(line: Buffer): void {
    // Its answer must go at once: the socket ends after this turn.
    this.#hasNext = false
    this.#onLine(line.toString())
  }

  /**
   * Takes a chunk, at once where no other is under way. The way through a stream of Node's costs a small chunk, as most
   * are, more than what is done with it.
   */
  override write(chunk: Buffer | string): boolean {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    if (this.#isBusy) this.#waiting.push(bytes)
    else this.#begin(bytes)
    this.#isAwaited ||= this.#isBusy
    return !this.#isBusy
  }

  /** Waits for what was written before the end. */
  override _final(done: (error?: Error | null) => void): void {
    if (this.#isBusy) this.#onIdle = done
    else done()
  }

  #begin(chunk: Buffer): void {
    this.#isBusy = true
    this.#take(chunk, (error) => {
      this.#isBusy = false
      if (error) return void this.destroy(error)
      const next = this.#waiting.shift()
      if (next) return this.#begin(next)
      this.#onIdle?.()
      if (!this.#isAwaited) return
      this.#isAwaited = false
      this.emit('drain')
    })
  }

  #take(chunk: Buffer, done: (error?: Error) => void): void {
    if (this.isClosed || chunk.length === 0) done()
    else if (this._dataMode) this._feedDataStream(chunk, done)
    else this.#readLines(chunk, done)
  }

  /**
   * Hands the lines of a chunk over, one after the other: the next when the one before is done, which may be at once.
   * What follows a DATA is data.
   */
  #readLines(chunk: Buffer, done: (error?: Error) => void): void {
    const held = this._remainder.length
    if (held === 0 && isTlsRecord(chunk)) return this.#onTls()
    // One character for each octet, so that places in the text are places in the chunk.
    const text = held === 0 ? chunk.toString('latin1') : this._remainder + chunk.toString('latin1')
    const isText = isAscii(chunk) && (held === 0 || !/[^\x00-\x7f]/.test(this._remainder))
    this._remainder = ''
    // A substring keeps the whole string in memory, and lines are kept in transcripts.
    const isOwn = text.length <= 1024
    let at = 0
    let handled = 0
    let isReading = false
    let isDone = false
    const read = (): void => {
      isDone = true
      if (isReading) return
      isReading = true
      try {
        while (isDone) {
          isDone = false
          // Nothing behind a QUIT is looked at.
          if (this.isClosed) return done()
          if (this._dataMode) return this.#take(chunk.subarray(at - held), done)
          const end = text.indexOf('\n', at)
          const stop = end > at && text.charCodeAt(end - 1) === cr ? end - 1 : end
          const line = end === -1 ? text.slice(at) : text.slice(at, stop)
          if (line.length > this._maxCommandLength) return done(this._commandTooLong())
          if (end === -1) {
            this._remainder = line
            return done()
          }
          at = end + 1
          this.#hasNext = at < text.length
          this.#onLine(isOwn && isText ? line : Buffer.from(line, 'latin1').toString(), read)
          // A chunk full of commands must not hold up the others.
          if (isDone && ++handled % maxLinesAtOnce === 0) {
            isDone = false
            setImmediate(read)
          }
        }
      } finally {
        isReading = false
      }
    }
    read()
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

  /** The message is whole: what follows it is commands again, which wait for its answer. */
  #endData(content: Buffer, rest: Buffer, done: () => void): void {
    const stream = this._dataStream
    const proceed = (): void => this.#take(rest, done)
    // A destroyed message must not be answered.
    const isAnswered = this._continueCallback === true
    let isEnding = true
    this._continueCallback = isAnswered
      ? false
      : () => {
          // Or a piece full of messages would go as deep into calls as it is long.
          if (isEnding && rest.length > 0) setImmediate(proceed)
          else proceed()
        }
    this._dataMode = false
    this._dataStream = null
    this.#hasNext = rest.length > 0
    // The answer may come within this call.
    stream?.end(content)
    isEnding = false
    if (isAnswered) proceed()
  }

  /**
   * Continues after a message. The base drops its callback after calling it, and with it the callback of a next message
   * that was pipelined and ended meanwhile: that connection would hang.
   */
  override continue(): void {
    const proceed = this._continueCallback
    if (typeof proceed !== 'function') return super.continue()
    this._continueCallback = false
    proceed()
  }
}

/** How many commands are taken before the event loop turns. */
const maxLinesAtOnce = 100
