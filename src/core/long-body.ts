/** A longer body, in bytes, is processed in the worker thread. */
export const longBodyBytes: number = 1024 * 1024

/** The body of a request that is so long that its handler gives it to the thread. */
export class LongBody {
  #bytes: Buffer
  /** Whether it is text, not JSON. */
  readonly isText: boolean

  constructor(bytes: Buffer, isText: boolean) {
    this.#bytes = bytes
    this.isText = isText
  }

  /** The bytes, which are not kept. Call it only once. */
  take(): Buffer {
    const bytes = this.#bytes
    this.#bytes = Buffer.alloc(0)
    return bytes
  }
}
