import { LocalpostError } from '../core/errors.ts'
import { bodyLimits } from '../server/route.ts'

/**
 * How much the emails of one request may take together. Each of them has all of the content, so a short request could become
 * gigabytes.
 */
export class ContentBudget {
  readonly #parts: string
  #taken = 0

  /** @param parts  What the emails are made of, for the message: `personalizations`. */
  constructor(parts: string) {
    this.#parts = parts
  }

  /** @param size  In characters or bytes. @throws message_too_large */
  take(size: number): void {
    this.#taken += size
    if (this.#taken <= bodyLimits.large) return
    const message = `The content takes more than ${bodyLimits.large} bytes for all ${this.#parts} together. Send them in several requests.`
    throw new LocalpostError('message_too_large', message)
  }
}
