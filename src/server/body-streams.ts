import type { Readable } from 'node:stream'

/**
 * A Node stream as the body of an answer. Nothing is read ahead: Node's own `toWeb` would buffer 64,000 pieces for a
 * client that does not read.
 */
export function streamBody(stream: Readable): ReadableStream<Uint8Array> {
  const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await pieces.next()
        if (next.done) controller.close()
        else controller.enqueue(next.value)
      },
      cancel: () => void stream.destroy(),
    },
    { highWaterMark: 0 },
  )
}

/**
 * The same stream. Nothing is read ahead of its reader.
 *
 * @param onEnd  Called at its end, whether it was read, cancelled, or failed.
 */
export function passedOn(
  stream: ReadableStream<Uint8Array>,
  onEnd: () => void,
  onStart?: (
    controller: ReadableStreamDefaultController<Uint8Array>,
    reader: ReadableStreamDefaultReader<Uint8Array>,
  ) => void,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => onStart?.(controller, reader),
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
