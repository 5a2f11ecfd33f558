import { EventEmitter } from 'node:events'
import type { SMTPServerDataStream } from 'smtp-server'

/**
 * The content of one DATA on its way to the handler of the message, with back-pressure: `data` with each piece, then
 * `end`; or `close`, after an `error` where the client disconnected. It replaces the Node stream of smtp-server and has
 * the members that smtp-server uses; but it passes each piece on at once, and flows only from `resume` on.
 */
export class MessageData extends EventEmitter {
  /** How many octets came, and whether that is more than the server takes; smtp-server keeps both. */
  byteLength = 0
  sizeExceeded = false
  /** Null until it is decided. */
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

  /** @returns Whether the next piece may come at once; else after `drain`, or never after `close`. */
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

  /** smtp-server's types know a stream of Node's only. */
  asStream(): SMTPServerDataStream {
    return this as unknown as SMTPServerDataStream
  }
}
