import type { H3Event } from 'h3'
import { stateOf } from './request-state.ts'

/**
 * Gets an answer, and calls `release` once it needs its account no longer: at once, or at the end of a stream. h3's
 * `onDispose` would read ahead of callers in process, and hold the account for those who never read an answer.
 */
export async function answerHeld(
  get: () => Promise<Response>,
  event: H3Event,
  release: () => void,
): Promise<Response> {
  let isHeld = false
  try {
    const answer = await get()
    const { isStreamed, socket } = stateOf(event)
    if (!isStreamed || socket?.res.destroyed) return answer
    isHeld = true
    if (!socket) {
      const { status, headers, body } = answer
      return new Response(body && endingWith(body, release), { status, headers })
    }
    socket.res.once('close', release)
    return answer
  } finally {
    if (!isHeld) release()
  }
}

/** The same stream. Nothing is read ahead of the reader. */
function endingWith(stream: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          controller.close()
        } catch (error) {
          controller.error(error)
        }
        onEnd()
      },
      async cancel(reason) {
        onEnd()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
