import type { Clock } from '../core/clock.ts'
import { LocalpostError } from '../core/errors.ts'
import { isHeldClock } from '../core/manual-clock.ts'

/** The time of an instance. */
export interface InstanceClock {
  /** Unix time in milliseconds. */
  now(): number
  /**
   * Moves the time on, and does everything that is due by then, in order: delivery retries, webhook retries, look-ups
   * of domains, retention, and answers that a rule or a fault delays. Work that starts meanwhile is finished before the
   * time moves on.
   *
   * @param by  Milliseconds, or a duration: `500ms`, `90s`, `15m`, `72h`, `30d`.
   * @throws clock_not_held if the instance runs on the machine's clock; invalid_option for what is no duration.
   */
  advance(by: number | string): Promise<void>
}

/**
 * @param settle  Resolves when all work is finished; time waits for it.
 * @returns `close` ends this: time no longer waits for the instance.
 */
export function openTime(clock: Clock, settle: () => Promise<void>): { clock: InstanceClock; close(): void } {
  const held = isHeldClock(clock) ? clock : null
  return {
    close: held?.onAdvance(settle) ?? (() => {}),
    clock: {
      now: () => clock.now(),
      async advance(by) {
        if (held) return held.advance(by)
        throw new LocalpostError('clock_not_held', notHeld)
      },
    },
  }
}

const notHeld =
  'This instance runs on the real clock. Create it with one that the test moves: createLocalpost({ clock: fixedClock("2026-01-01T00:00:00Z") }).'
