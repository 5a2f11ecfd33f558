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

/** A body that gives the bytes of another stream, its source. */
interface PassedBody {
  readonly body: ReadableStream<Uint8Array>
  /** Ends the body with an error, and cancels the source. */
  fail(reason: unknown): void
  /** Whether the body was garbage collected. In process a caller may drop an answer without reading it. */
  isDropped(): boolean
}

/**
 * Passes a stream on. Nothing is read ahead of the reader of the body, but an error of the source ends the body at once:
 * while a socket waits for its client, nothing is read.
 *
 * @param onEnd  Called once: when all was read, at an error of the source, at `fail`, or when the reader cancels.
 */
export function passedOn(source: ReadableStream<Uint8Array>, onEnd: () => void): PassedBody {
  const reader = source.getReader()
  let isEnded = false
  const end = (): void => {
    if (!isEnded) onEnd()
    isEnded = true
  }
  // Weak, so that who can call `fail` does not keep a dropped body in memory.
  let target: WeakRef<ReadableStreamDefaultController<Uint8Array>> | null = null
  const failBody = (error: unknown): void => {
    end()
    target?.deref()?.error(error)
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        target = new WeakRef(controller)
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          controller.close()
        } catch (error) {
          controller.error(error)
        }
        end()
      },
      async cancel(reason) {
        end()
        await reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  reader.closed.catch(failBody)
  return {
    body,
    fail(reason) {
      failBody(reason)
      void reader.cancel(reason).catch(() => undefined)
    },
    isDropped: () => target?.deref() === undefined,
  }
}
