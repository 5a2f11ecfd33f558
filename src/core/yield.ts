import { monotonicNow, nextTurn } from './machine.ts'

/** Says when long work should yield to the event loop. */
export interface Pacer {
  /** Whether the current turn was used up; look at it often, it is cheap. Follow a `true` with `await turn()`. */
  due(): boolean
  turn(): Promise<void>
}

/**
 * @param sliceMs  How long work may run before `due` returns true, in milliseconds.
 */
export function createPacer(sliceMs: number = 4): Pacer {
  // From the first look at the time on: most work is over before it.
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

/** Work that yields wherever other work may run, and returns its result. */
export type Steps<T> = Generator<undefined, T>

/** Of what is long enough for steps or a result at once: the result. */
export function* resultSteps<T>(given: T | Steps<T>): Steps<T> {
  return isSteps(given) ? yield* given : given
}

export function isSteps<T>(given: T | Steps<T>): given is Steps<T> {
  return typeof given === 'object' && given !== null && 'next' in given
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

/**
 * The same for work that mostly has few steps, on paths where a promise costs more than the work.
 *
 * @returns A promise only where there are more steps than {@link createPacer} lets pass without a look at the time.
 */
export function pacedIfLong<T>(work: Iterator<undefined, T>): T | Promise<T> {
  for (let steps = 0; steps < stepsAtOnce; steps++) {
    const step = work.next()
    if (step.done) return step.value
  }
  return paced(work)
}

const stepsAtOnce = 32

/** Runs work that yields in one turn, to its end: for callers that know it to be short, or cannot wait. */
export function unpaced<T>(work: Iterator<undefined, T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
