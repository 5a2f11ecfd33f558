import { clearInterval, setInterval } from '../core/machine.ts'
import { type Answer, isAnswer, jsonAnswer } from './answer.ts'
import { passedOn } from './body-streams.ts'
import { streamed } from './to-response.ts'

/** Answers in progress. Each ends when its caller loses access. */
export interface OpenAnswers {
  /**
   * Waits for the result of a handler, and for the end of a body that is a stream.
   *
   * @param assertMay  Called each second; throws the error with which the caller would be refused now. Then the stream breaks off.
   * @returns The result as an answer.
   * @throws the error of `assertMay` before there is a result; what the handler throws.
   */
  watch(result: unknown, assertMay: () => void): Promise<Answer>
  /** Checks the callers of all answers now. */
  check(): void
  /** Stops watching. The answers continue. */
  close(): void
}

/** An answer in progress: its handler runs, or its body is read. */
interface OpenAnswer {
  assertMay(): void
  /** Ends the answer, because its caller may not have it any more. */
  breakOff(refusal: unknown): void
  /** Whether its body was garbage collected. In process a caller may drop an answer without reading it. */
  isDropped(): boolean
}

/** @param everyMs  How often the callers are checked. */
export function createOpenAnswers(everyMs = 1000): OpenAnswers {
  const open = new Set<OpenAnswer>()
  let timer: ReturnType<typeof setInterval> | null = null

  function check(): void {
    for (const answer of open) {
      if (answer.isDropped() || !mayContinue(answer)) open.delete(answer)
    }
    if (open.size === 0) stop()
  }

  function stop(): void {
    if (timer) clearInterval(timer)
    timer = null
  }

  return {
    async watch(result, assertMay) {
      const answer: OpenAnswer = { assertMay, breakOff: () => {}, isDropped: () => false }
      open.add(answer)
      timer ??= setInterval(check, everyMs).unref()
      const end = (): void => void open.delete(answer)
      const refused = new Promise<never>((_, reject) => {
        answer.breakOff = reject
      })
      try {
        const value = await Promise.race([result, refused])
        const given = isAnswer(value) ? value : jsonAnswer(value)
        const body = streamed(given)
        if (body instanceof ReadableStream) return { ...given, body: breakable(body, answer, end) }
        end()
        return given
      } catch (error) {
        end()
        throw error
      }
    },
    check,
    close() {
      stop()
      open.clear()
    },
  }
}

/** Whether the caller of an answer still has access; else the answer ends. */
function mayContinue(answer: OpenAnswer): boolean {
  try {
    answer.assertMay()
    return true
  } catch (refusal) {
    answer.breakOff(refusal)
    return false
  }
}

/** The same body, which `breakOff` ends from now on. */
function breakable(
  body: ReadableStream<Uint8Array>,
  answer: OpenAnswer,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  return passedOn(body, onEnd, (controller, reader) => {
    const held = new WeakRef(controller)
    answer.isDropped = () => held.deref() === undefined
    answer.breakOff = (refusal) => {
      held.deref()?.error(refusal)
      void reader.cancel(refusal).catch(() => undefined)
    }
    // While a socket waits for its client, nothing is pulled: the end of the source would not be noticed.
    reader.closed.catch((error: unknown) => {
      onEnd()
      held.deref()?.error(error)
    })
  })
}
