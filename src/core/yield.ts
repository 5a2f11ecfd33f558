import { monotonicNow, nextTurn } from './machine.ts'

/** Says when long work should yield to the event loop. */
export interface Pacer {
  /** Whether the work has run for its time; cheap, so call it often. After a `true`, call `await turn()`. */
  due(): boolean
  turn(): Promise<void>
}

/**
 * @param sliceMs  How long work may run before `due` returns true, in milliseconds.
 */
export function createPacer(sliceMs: number = 4): Pacer {
  // The time counts from the first look at the clock: most work ends before that.
  let began = 0
  let asked = 0
  return {
    due() {
      if (++asked % stepsAtOnce !== 0) return false
      const now = monotonicNow()
      if (began === 0) began = now
      return now - began > sliceMs
    },
    async turn() {
      await nextTurn()
      began = monotonicNow()
    },
  }
}

/**
 * Runs a generator in slices. It yields wherever other work may run.
 *
 * @param signal  Ends the work between two steps. @throws its reason.
 */
export async function paced<T>(work: Iterator<undefined, T>, signal?: AbortSignal): Promise<T> {
  const pacer = createPacer()
  for (;;) {
    signal?.throwIfAborted()
    const step = work.next()
    if (step.done) return step.value
    if (pacer.due()) await pacer.turn()
  }
}

const stepsAtOnce = 32

/**
 * Runs work to its end without yielding to the event loop: for work that is known to be short, and for callers that
 * cannot wait.
 */
export function unpaced<T>(work: Iterator<undefined, T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
