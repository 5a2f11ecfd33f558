import { createPacer } from './slices.ts'

export { createPacer, type Pacer } from './slices.ts'

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
 * Runs work to its end without yielding to the event loop: for work that is known to be short, and for callers that
 * cannot wait.
 */
export function unpaced<T>(work: Iterator<undefined, T>): T {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
