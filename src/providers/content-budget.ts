import { LocalpostError } from '../core/errors.ts'
import { bodyLimits } from '../server/route.ts'

/**
 * How much the emails of one request may take together. Each of them has all of the content, so a short request could become
 * gigabytes.
 */
export class ContentBudget {
  readonly #parts: string
  readonly #advice: string
  #taken = 0

  /**
   * @param parts  What the emails are made of, for the message: `personalizations`.
   * @param advice  What may be done. Default: to send several requests.
   */
  constructor(parts: string, advice = 'Send them in several requests') {
    this.#parts = parts
    this.#advice = advice
  }

  /** @param size  In characters; of files, in bytes. @throws message_too_large */
  take(size: number): void {
    this.#taken += size
    if (this.#taken <= bodyLimits.large) return
    const message = `The content takes at least ${this.#taken} characters for all ${this.#parts} together; at most ${bodyLimits.large} are taken. ${this.#advice}.`
    throw new LocalpostError('message_too_large', message)
  }
}
