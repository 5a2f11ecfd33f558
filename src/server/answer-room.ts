import type { ServerResponse } from 'node:http'
import { createBudget, noRoom } from '../core/byte-budget.ts'
import type { Answer } from './answer.ts'

/** Bounds what answers hold while their readers take them: a reader that does not read must cost little. */
export interface AnswerRoom {
  /**
   * Counts a large answer until it is sent, and cuts its connection off when nothing of it was taken for a while. Small
   * answers pass untouched.
   *
   * @throws service_unavailable where other large answers take the room.
   */
  admit(answer: Answer, response: ServerResponse): void
}

/**
 * @param limit  Bytes of all large answers together.
 * @param patienceMs  How long a reader may take nothing.
 */
export function createAnswerRoom(limit: number = 96 * 1024 * 1024, patienceMs: number = 30_000): AnswerRoom {
  const budget = createBudget(limit)
  return {
    admit({ body, headers }, response) {
      if (body === null || (!(body instanceof ReadableStream) && body.length < largeBytes)) return
      const bytes = body instanceof ReadableStream ? 0 : Buffer.byteLength(body)
      if (response.destroyed) return
      // Live events have pauses of their own, and look themselves for who is gone.
      if (headers['content-type']?.startsWith('text/event-stream')) return
      if (bytes > 0 && !budget.take(bytes))
        throw noRoom(`Other answers that are being read hold ${budget.used} bytes.`)
      // Not before: a client may wait for an answer as long as it likes.
      response.setTimeout(patienceMs, () => response.destroy())
      response.once('close', () => budget.give(bytes))
    },
  }
}

const largeBytes = 256 * 1024
