import { clearInterval, setInterval } from '../core/machine.ts'
import { type Answer, isAnswer, jsonAnswer } from './answer.ts'
import { passedOn } from './body-streams.ts'
import { streamed } from './to-response.ts'

/** Answers in progress. Each ends when its caller loses access. */
export class OpenAnswers {
  readonly #open = new Set<OpenAnswer>()
  #timer: ReturnType<typeof setInterval> | null = null

  /**
   * Waits for the result of a handler, and for the end of a body that is a stream.
   *
   * @param assertMay  Called each second; throws the error with which the caller would be refused now. Then the stream
   *   breaks off.
   * @returns The result as an answer.
   * @throws the error of `assertMay` before there is a result; what the handler throws.
   */
  async watch(result: unknown, assertMay: () => void): Promise<Answer> {
    const answer: OpenAnswer = { assertMay, breakOff: () => {}, isDropped: () => false }
    this.#open.add(answer)
    this.#timer ??= setInterval(() => this.check(), checkedEveryMs).unref()
    const end = (): void => void this.#open.delete(answer)
    const refused = new Promise<never>((_, reject) => {
      answer.breakOff = reject
    })
    try {
      const value = await Promise.race([result, refused])
      const given = isAnswer(value) ? value : jsonAnswer(value)
      const body = streamed(given)
      if (body instanceof ReadableStream) {
        const passed = passedOn(body, end)
        answer.breakOff = passed.fail
        answer.isDropped = passed.isDropped
        return { ...given, body: passed.body }
      }
      end()
      return given
    } catch (error) {
      end()
      throw error
    }
  }

  /** Checks the callers of all answers now. */
  check(): void {
    for (const answer of this.#open) if (answer.isDropped() || !mayContinue(answer)) this.#open.delete(answer)
    if (this.#open.size === 0) this.#stop()
  }

  /** Stops watching. The answers continue. */
  close(): void {
    this.#stop()
    this.#open.clear()
  }

  #stop(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }
}

const checkedEveryMs = 1000

/** An answer in progress: its handler runs, or its body is read. */
interface OpenAnswer {
  assertMay(): void
  /** Ends the answer, because its caller may not have it any more. */
  breakOff(refusal: unknown): void
  /** Whether its body was dropped. Before there is a body: false. */
  isDropped(): boolean
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
