import { LocalpostError } from '../core/errors.ts'
import { bodyLimits } from '../server/route.ts'

/**
 * How much the emails of one request may take together. Each of them has all of the content, so a short request could become
 * gigabytes.
 */
export class ContentBudget {
  #taken = 0

  /** @param size  In characters or bytes. @throws message_too_large */
  take(size: number): void {
    this.#taken += size
    if (this.#taken <= bodyLimits.large) return
    const message = `The emails of the request together take more than ${bodyLimits.large} bytes. Send them in several requests.`
    throw new LocalpostError('message_too_large', message)
  }
}
