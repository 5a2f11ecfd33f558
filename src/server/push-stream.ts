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
export function createPushStream({
  first,
  heartbeat,
  onEnd,
}: {
  first: Uint8Array
  heartbeat: Uint8Array
  onEnd: () => void
}): PushStream {
  let waiting: Uint8Array[] = [first]
  let bytes = first.length
  let isScheduled = false
  let isOver = false
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined

  function take(): Uint8Array {
    const all = Buffer.concat(waiting)
    waiting = []
    bytes = 0
    return all
  }
  function flush(): void {
    isScheduled = false
    if (isOver || bytes === 0 || !controller || (controller.desiredSize ?? 0) <= 0) return
    // Taken first, because `enqueue` may call this function again before it returns.
    controller.enqueue(take())
  }
  function finish(): boolean {
    if (isOver) return false
    isOver = true
    clearInterval(timer)
    onEnd()
    return true
  }
  function push(event: Uint8Array): void {
    if (isOver) return
    waiting.push(event)
    bytes += event.length
    if (bytes > maxWaitingBytes) {
      if (finish()) controller?.error(new Error('The client does not read.'))
    } else if (!isScheduled) {
      // One chunk for all events of one turn of the event loop: a burst of mail is not a burst of writes.
      isScheduled = true
      setImmediate(flush)
    }
  }

  const stream = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given
    },
    pull: flush,
    cancel: () => void finish(),
  })
  const timer = setInterval(() => push(heartbeat), heartbeatMs).unref()
  return {
    stream,
    waitingBytes: () => bytes,
    push,
    end() {
      if (!finish()) return
      if (bytes > 0) controller?.enqueue(take())
      controller?.close()
    },
  }
}
