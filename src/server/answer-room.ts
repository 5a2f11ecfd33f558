import type { ServerResponse } from 'node:http'
import { createBudget, noRoom } from '../core/byte-budget.ts'
import { isLongJson } from '../core/long-json.ts'
import { type Answer, webSocketStatus } from './answer.ts'

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

/** @param limit  Bytes of all large answers together. */
export function createAnswerRoom(limit: number = 48 * 1024 * 1024, patienceMs: number = 30_000): AnswerRoom {
  const budget = createBudget(limit)
  return {
    admit({ status, body, headers }, response) {
      if (body === null || status === webSocketStatus) return
      const bytes = bytesOf(body)
      if (bytes < largeAnswerBytes && !(body instanceof ReadableStream)) return
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

const largeAnswerBytes = 256 * 1024

/** The memory that a body holds. A stream holds next to nothing. */
function bytesOf(body: NonNullable<Answer['body']>): number {
  if (body instanceof ReadableStream) return 0
  if (isLongJson(body)) return body.bytes
  return Buffer.byteLength(body)
}
