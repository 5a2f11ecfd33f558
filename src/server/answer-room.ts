import type { ServerResponse } from 'node:http'
import { createBudget, noRoom } from '../core/byte-budget.ts'
import type { Answer } from './answer.ts'
import { isLongJson } from '../core/long-json.ts'

/** Limits the memory of answers that are being read, so that a slow reader costs little. */
export interface AnswerRoom {
  /**
   * Counts a large answer until it is sent, and closes its connection if no byte of it was read for some time. Small
   * answers are not counted.
   *
   * @throws service_unavailable if other large answers use up the limit.
   */
  admit(answer: Answer, response: ServerResponse): void
}

/**
 * @param limit  Bytes of all large answers together.
 * @param patienceMs  How long a reader may read nothing.
 */
export function createAnswerRoom(limit: number = 48 * 1024 * 1024, patienceMs: number = 30_000): AnswerRoom {
  const budget = createBudget(limit)
  return {
    admit({ body, headers }, response) {
      if (body === null) return
      const bytes = bytesOf(body)
      if (bytes < largeBytes && !(body instanceof ReadableStream)) return
      if (response.destroyed) return
      // Live events pause by design, and detect lost clients themselves.
      if (headers['content-type']?.startsWith('text/event-stream')) return
      if (bytes > 0 && !budget.take(bytes))
        throw noRoom(`Other answers that are being read hold ${budget.used} bytes.`)
      // Not before: a client may wait for an answer for any time.
      response.setTimeout(patienceMs, () => response.destroy())
      response.once('close', () => budget.give(bytes))
    },
  }
}

const largeBytes = 256 * 1024

/** The memory that a body holds. A stream holds next to nothing. */
function bytesOf(body: NonNullable<Answer['body']>): number {
  if (body instanceof ReadableStream) return 0
  if (isLongJson(body)) return body.bytes
  // Most are short: to count their bytes would look at each character.
  return body.length * 3 < largeBytes ? body.length : Buffer.byteLength(body)
}
