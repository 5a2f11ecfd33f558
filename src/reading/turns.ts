import type { Clock } from '../core/clock.ts'
import { createJobQueue, type JobQueue } from '../core/job-queue.ts'
import { createKeptReadings, type KeptReadings } from './kept.ts'

/** What the readers of all accounts share, so that together they take limited memory. */
export interface ReadingTurns {
  /** Reads of messages up to `largeMailBytes`. */
  readonly small: JobQueue
  /** Reads of larger messages. */
  readonly large: JobQueue
  /** Reads of a large mail that consist of several reads, each of which takes its turn in the queues above. */
  readonly whole: JobQueue
  /** Work that holds a large mail for longer; in a queue of its own, so that no read waits for it. */
  readonly withWhole: JobQueue
  /** What was read last of large messages. */
  readonly kept: KeptReadings
}

export function createReadingTurns(clock: Pick<Clock, 'after'>): ReadingTurns {
  const queue = (atOnce: number): JobQueue => createJobQueue(clock, atOnce, maxWaiting)
  return {
    small: queue(8),
    large: queue(1),
    whole: queue(1),
    withWhole: queue(1),
    kept: createKeptReadings(),
  }
}

const maxWaiting = 256
