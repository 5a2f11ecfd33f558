import { monotonicNow, nextTurn } from './machine.ts'

/** Says when long work should yield to the event loop. */
export interface Pacer {
  /** Whether the work has run for its time; cheap, so call it often. After a `true`, call `await turn()`. */
  due(): boolean
  /** Yields to the event loop, and begins a new time. */
  turn(): Promise<void>
}

/** @param stepsAtOnce  `due` looks at the clock once in so many calls; 1 where a step is not short. */
export function createPacer(stepsAtOnce: number = 32): Pacer {
  // The time counts from the first look at the clock: most work ends before that.
  let began: number | null = null
  let asked = 0
  return {
    due() {
      if (++asked % stepsAtOnce !== 0) return false
      const now = monotonicNow()
      began ??= now
      return now - began > sliceMs
    },
    async turn() {
      await nextTurn()
      began = monotonicNow()
    },
  }
}

/** How long work may run before it yields. */
const sliceMs = 4

/** Calls `run` for each item, and awaits it. Other work runs every few milliseconds; short work ends in this turn. */
export async function forEachSlice<T>(
  items: Iterable<T>,
  run: (item: T) => Promise<void> | void,
): Promise<void> {
  const pacer = createPacer()
  for (const item of items) {
    const waiting = run(item)
    if (waiting) await waiting
    if (pacer.due()) await pacer.turn()
  }
}
