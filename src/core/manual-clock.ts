import type { Clock } from './clock.ts'
import { parseDuration } from './duration.ts'
import { invalidOption } from './errors.ts'
import { quote } from './quote.ts'
import { assertKnownOptions } from './known-options.ts'
import { dateNow, nextTurn } from './machine.ts'

/** A clock that moves only when a test moves it. Everything that an instance does by time follows it. */
export interface HeldClock extends Clock {
  /**
   * Moves on, and runs every timer that is due by then, in order, each at its own time. Before and after each call, the
   * instances of this clock finish what they have begun.
   *
   * @param by  Milliseconds, or a duration: `500ms`, `90s`, `15m`, `72h`, `30d`.
   * @throws invalid_option for what is no duration.
   */
  advance(by: number | string): Promise<void>
  /**
   * Registers work that has to finish before time moves on.
   *
   * @returns A function that removes it.
   */
  onAdvance(settle: () => Promise<void>): () => void
}

/**
 * Makes a clock that only moves when told to.
 *
 * @param options.now  The initial time: Unix time in milliseconds, an ISO 8601 text or a Date. Default: the machine's
 *   time.
 * @throws invalid_option for what is no time, and for an unknown option.
 * @example
 * const post = await createLocalpost({ clock: createClock({ now: '2026-01-01T00:00:00Z' }) })
 * await post.clock.advance('72h')
 */
export function createClock(options?: { now?: number | string | Date }): HeldClock {
  assertKnownOptions(options, ['now'], 'createClock()')
  const { now = dateNow() } = options ?? {}
  return fixedClock(now)
}

/** A clock stopped at this time; short for {@link createClock}. @throws invalid_option for what is no time. */
export function fixedClock(now: number | string | Date): HeldClock {
  // `new Date` reads null and booleans as times in 1970.
  let time =
    now instanceof Date || ['number', 'string'].includes(typeof now) ? new Date(now).getTime() : Number.NaN
  if (Number.isNaN(time)) {
    const wanted = 'Unix time in milliseconds, a Date, or a text such as "2026-01-01T00:00:00Z"'
    throw invalidOption(`A clock starts at ${wanted}, not ${quote(now)}.`)
  }
  const timers = new Set<Timer>()
  const settles = new Set<() => Promise<void>>()
  let moving: Promise<void> = Promise.resolve()

  async function settle(): Promise<void> {
    await nextTurn()
    for (const wait of settles) await wait()
  }

  async function move(ms: number): Promise<void> {
    const target = time + ms
    const from = new Date(time).toISOString()
    if (target > maxDateMs)
      throw invalidOption(`A clock at ${from} cannot move on by ${ms} ms: no date is that late.`)
    for (;;) {
      await settle()
      const next = earliest(timers)
      if (!next || next.at > target) break
      timers.delete(next)
      time = Math.max(time, next.at)
      next.run()
    }
    time = target
    await settle()
  }

  return {
    now: () => time,
    after(delayMs, run) {
      const timer = { at: time + Math.ceil(delayMs), run }
      if (delayMs < Number.POSITIVE_INFINITY) timers.add(timer)
      return () => void timers.delete(timer)
    },
    // One after the other: two at once would both start from the same time.
    advance(by) {
      const ms = readDuration(by)
      const moved = moving.then(() => move(ms))
      moving = moved.catch(() => undefined)
      return moved
    },
    onAdvance(wait) {
      settles.add(wait)
      return () => void settles.delete(wait)
    },
  }
}

/** Whether a clock is one that a test moves. */
export function isHeldClock(clock: Clock): clock is HeldClock {
  return 'advance' in clock && 'onAdvance' in clock
}

/** The same clock in whole milliseconds, as in everything that is stored and answered; `performance.now` has fractions. */
export function wholeClock(clock: Clock): Clock {
  const now = (): number => Math.floor(clock.now())
  const after: Clock['after'] = (delayMs, run) => clock.after(delayMs, run)
  if (!isHeldClock(clock)) return { now, after }
  const held: HeldClock = {
    now,
    after,
    advance: (by) => clock.advance(by),
    onAdvance: (settle) => clock.onAdvance(settle),
  }
  return held
}

/** The latest time that a Date can have (ECMA-262, Time Values). */
const maxDateMs = 8.64e15

interface Timer {
  readonly at: number
  readonly run: () => void
}

// Of timers for the same time, the one that was set first: a Set keeps the order.
function earliest(timers: Iterable<Timer>): Timer | null {
  let first: Timer | null = null
  for (const timer of timers) if (!first || timer.at < first.at) first = timer
  return first
}

function readDuration(by: number | string): number {
  const ms = typeof by === 'number' ? Math.round(by) : parseDuration(by)
  if (ms !== null && Number.isFinite(ms) && ms >= 0) return ms
  const wanted = 'milliseconds or a duration such as "90s", "15m", "72h" or "30d"'
  throw invalidOption(`A clock advances by ${wanted}, not ${quote(by)}.`)
}
