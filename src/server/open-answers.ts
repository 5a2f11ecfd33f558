import { passedOn } from './body-streams.ts'
import { clearInterval, setInterval } from '../core/machine.ts'

/** Answers in progress. Each ends when its caller loses access. */
export interface OpenAnswers {
  /** @param assertMay  Called each second; throws the error with which the caller would be refused now. */
  watch(assertMay: () => void): OpenAnswer
  /** Checks all answers now. */
  look(): void
  /** Stops watching. The answers continue. */
  close(): void
}

/** One answer. Exactly one of `throughout` with an error, `guard` and `leave` ends the watch. */
export interface OpenAnswer {
  /** Waits for the handler. @throws the error of `assertMay`, or that of the handler. */
  throughout<T>(handling: T | Promise<T>): Promise<T>
  /** The same body, which breaks off when `assertMay` throws. */
  guard(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array>
  leave(): void
}

/** A watched answer. */
interface Watched {
  assertMay(): void
  end(reason: unknown): void
  /** Whether its body was garbage collected. */
  isGone(): boolean
}

export function createOpenAnswers(everyMs = 1000): OpenAnswers {
  const all = new Set<Watched>()
  let timer: ReturnType<typeof setInterval> | null = null

  function look(): void {
    for (const watched of all) {
      try {
        if (!watched.isGone()) {
          watched.assertMay()
          continue
        }
      } catch (error) {
        watched.end(error)
      }
      all.delete(watched)
    }
    if (all.size === 0) stop()
  }

  function stop(): void {
    if (timer) clearInterval(timer)
    timer = null
  }

  return {
    watch(assertMay) {
      const watched: Watched = { assertMay, end: () => {}, isGone: () => false }
      all.add(watched)
      timer ??= setInterval(look, everyMs).unref()
      const leave = (): void => void all.delete(watched)
      return {
        leave,
        async throughout(handling) {
          const refused = new Promise<never>((_, reject) => {
            watched.end = reject
          })
          return Promise.race([handling, refused])
        },
        guard: (body) => guarded(body, watched, leave),
      }
    },
    look,
    close() {
      stop()
      all.clear()
    },
  }
}

function guarded(
  body: ReadableStream<Uint8Array>,
  watched: Watched,
  leave: () => void,
): ReadableStream<Uint8Array> {
  return passedOn(body, leave, (controller, reader) => {
    // In process a caller may drop an answer without reading it.
    const held = new WeakRef(controller)
    watched.isGone = () => held.deref() === undefined
    watched.end = (refusal) => {
      held.deref()?.error(refusal)
      void reader.cancel(refusal).catch(() => undefined)
    }
    // While a socket waits for its client, nothing is pulled: the end of the source would not be noticed.
    reader.closed.catch((error: unknown) => {
      leave()
      held.deref()?.error(error)
    })
  })
}
