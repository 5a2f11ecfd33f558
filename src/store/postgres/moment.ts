import { dateNow, monotonicNow } from '../../core/machine.ts'

/**
 * A time by both clocks of the machine, in milliseconds: `elapsed` stops while the machine is suspended, `wall` can be
 * set.
 */
export interface Moment {
  readonly elapsed: number
  readonly wall: number
}

/** A moment before all others. */
export const never: Moment = { elapsed: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY }

export const momentNow = (): Moment => ({ elapsed: monotonicNow(), wall: dateNow() })

/** How many milliseconds passed. If the clocks disagree, the longer time counts. */
export function timeBetween(begin: Moment, end: Moment): number {
  return Math.max(end.elapsed - begin.elapsed, end.wall - begin.wall)
}
