import type { ServerResponse } from 'node:http'
import { listenerResponse } from './client-address.ts'

/** The context's member that says that an answer is a stream, which continues after it was returned. */
export const isStreamed = 'localpost.isStreamed'

/**
 * Gets an answer, and calls `release` once it needs its account no longer: at once, or at the end of a stream.
 *
 * @param context  Of the request.
 */
export async function answerHeld(
  get: () => Promise<Response>,
  context: Readonly<Record<string, unknown>>,
  release: () => void,
): Promise<Response> {
  let isHeld = false
  try {
    const answer = await get()
    if (context[isStreamed] !== true) return answer
    const socket = context[listenerResponse] as ServerResponse | undefined
    if (socket?.destroyed) return answer
    isHeld = true
    if (!socket) {
      const { status, headers, body } = answer
      return new Response(body && endingWith(body, release), { status, headers })
    }
    socket.once('close', release)
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
