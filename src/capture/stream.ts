import type { SMTPServerDataStream } from 'smtp-server'
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js'
import { nextTick } from '../core/machine.ts'
import { isTlsRecord } from './client-faults.ts'
import { DataScanner } from './data.ts'

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
