import { EventEmitter } from 'node:events'
import type { SMTPServerDataStream } from 'smtp-server'

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
