import { dateNow, monotonicNow } from '../../core/machine.ts'
import type { Leadership } from '../store.ts'

/** How long an instance remains the leader without a renewal of its row, in milliseconds. */
export const leaseMs = 10_000
/** How much earlier than the others a leader considers its own lease expired. */
const marginMs = 2000
/**
 * How long an instance relies on having been the only one at a renewal. A later version must not rely on it for longer:
 * instances of different versions may run.
 */
const aloneMs = 200

/** A time by both clocks of the machine, in milliseconds: `elapsed` stops while the machine is suspended, `wall` can be set. */
export interface Moment {
  readonly elapsed: number
  readonly wall: number
}

const longAgo: Moment = { elapsed: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY }

/** A renewal of the row of this instance. It counts once it is committed. */
export interface Renewal {
  /** The time before it. */
  readonly began: Moment
  /** The number of the last commit if no other instance had a row; null if one had. */
  readonly lastAlone: number | null
}

/** What this instance may rely on since the last renewal of its row, judged by its own clocks. */
export class Lease implements Leadership {
  /** The time by this instance's clocks. */
  readonly now: () => Moment
  readonly #listeners: Set<() => void> = new Set()
  #isLeader = false
  /** The last stored renewal. */
  #last: Renewal = { began: longAgo, lastAlone: null }

  constructor(now: () => Moment) {
    this.now = now
  }

  /** Whether this instance was the leader at the last renewal, even if that is long ago. */
  get isLeader(): boolean {
    return this.#isLeader
  }

  isMine(): boolean {
    return this.#isLeader && this.#age() < leaseMs - marginMs
  }

  onMine(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Whether `seq` is certainly the last commit that any instance acknowledged: this instance was alone at its last
   * renewal, and `seq` was the last commit then.
   */
  knowsAll(seq: number | null): boolean {
    return seq !== null && seq === this.#last.lastAlone && this.#age() < aloneMs
  }

  /** Call after a renewal was committed. */
  renewed(renewal: Renewal): void {
    const wasMine = this.isMine()
    if (renewal.began.elapsed > this.#last.began.elapsed) this.#last = renewal
    if (!wasMine && this.isMine()) for (const listener of this.#listeners) listener()
  }

  /** Call after the transaction in which this instance became the leader was committed. @param began  The time before it. */
  won(began: Moment): void {
    this.#isLeader = true
    // Earlier renewals were not those of a leader, and listeners must be called.
    this.#last = { began: longAgo, lastAlone: null }
    this.renewed({ began, lastAlone: null })
  }

  lost(): void {
    this.#isLeader = false
  }

  end(): void {
    this.lost()
    this.#listeners.clear()
  }

  /** How many milliseconds ago the last renewal began. If the clocks disagree, the longer time counts. */
  #age(): number {
    const { began } = this.#last
    const now = this.now()
    return Math.max(now.elapsed - began.elapsed, now.wall - began.wall)
  }
}

export const momentNow = (): Moment => ({ elapsed: monotonicNow(), wall: dateNow() })
