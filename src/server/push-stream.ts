import { clearInterval, setImmediate, setInterval } from '../core/machine.ts'

/** A stream for one client, into which events are pushed whether or not the client reads. */
export interface PushStream {
  readonly stream: ReadableStream<Uint8Array>
  /** How many bytes the client has not read yet. */
  waitingBytes(): number
  /** Adds one event. The stream fails once more than {@link maxWaitingBytes} wait. */
  push(bytes: Uint8Array): void
  /** Ends the stream after what waits. */
  end(): void
}

/**
 * How much is kept for a client that does not read. Beyond this it is disconnected: h3's own event stream has no such
 * limit, and would fill the memory.
 */
export const maxWaitingBytes: number = 256 * 1024

const heartbeatMs = 15_000

/**
 * @param given.first  Sent at once. The first chunk carries the headers; without it, a client waits for the first event to
 *   learn that it is connected.
 * @param given.heartbeat  Sent every 15 seconds.
 * @param given.onEnd  Called once, at the end of the stream for whatever reason.
 */
export function createPushStream(given: {
  first: Uint8Array
  heartbeat: Uint8Array
  onEnd: () => void
}): PushStream {
  let isOver = false
  /** The events of this turn of the event loop. They are one chunk: a burst of mail is not a burst of writes. */
  let burst: Uint8Array[] = []
  let burstBytes = 0
  let controller: ReadableStreamDefaultController<Uint8Array>
  const stream = new ReadableStream<Uint8Array>(
    {
      start(ofStream) {
        controller = ofStream
        controller.enqueue(given.first)
      },
      cancel: finish,
    },
    { highWaterMark: maxWaitingBytes, size: ({ length }) => length },
  )
  const timer = setInterval(() => push(given.heartbeat), heartbeatMs).unref()

  function waitingBytes(): number {
    return burstBytes + maxWaitingBytes - (controller.desiredSize ?? 0)
  }
  function push(event: Uint8Array): void {
    if (isOver) return
    burst.push(event)
    burstBytes += event.length
    if (waitingBytes() > maxWaitingBytes) {
      finish()
      controller.error(new Error('The client does not read.'))
    } else if (burst.length === 1) setImmediate(() => isOver || sendBurst())
  }
  function sendBurst(): void {
    if (burst.length > 0) controller.enqueue(Buffer.concat(burst))
    burst = []
    burstBytes = 0
  }
  function finish(): void {
    if (isOver) return
    isOver = true
    clearInterval(timer)
    given.onEnd()
  }

  return {
    stream,
    waitingBytes,
    push,
    end() {
      if (isOver) return
      finish()
      sendBurst()
      controller.close()
    },
  }
}
