import type { Clock } from '../core/clock.ts'
import { createJobQueue, type JobQueue } from '../core/job-queue.ts'
import { createKeptReadings, type KeptReadings } from './kept.ts'

export interface ReadingTurns {
  readonly small: JobQueue
  readonly large: JobQueue
  readonly whole: JobQueue
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
