import type { Clock } from '../core/clock.ts'
import { createJobQueue, type JobQueue } from '../core/job-queue.ts'
import { restBeforeBytes, type JobOptions, type JobThread } from '../core/job-thread.ts'
import { collectBefore } from '../core/page-memory.ts'
import type { BlobId, Store } from '../store/store.ts'
import type { readingJobs } from './jobs.ts'
import { createKeptReadings, type KeptReadings } from './kept.ts'
import { loadBlob } from './load-blob.ts'
import { type Reader, largeMailBytes } from './reader.ts'

/** What the readers of all accounts share, so that together they take limited memory. */
export interface ReadingTurns {
  /** Reads of messages up to `largeMailBytes`. */
  readonly small: JobQueue
  /** Reads of larger messages. */
  readonly large: JobQueue
  /** Reads of a large mail that consist of several reads, each of which takes its turn in the queues above. */
  readonly wholeReads: JobQueue
  /** Work that holds a large mail for longer; in a queue of its own, so that no read waits for it. */
  readonly wholeWork: JobQueue
  /** What was read last of large messages. */
  readonly kept: KeptReadings
}

/** Makes the queues of an instance. */
export function createReadingTurns(clock: Pick<Clock, 'after'>): ReadingTurns {
  const queue = (atOnce: number): JobQueue => createJobQueue(clock, atOnce, maxWaiting)
  return {
    small: queue(8),
    large: queue(1),
    wholeReads: queue(1),
    wholeWork: queue(1),
    kept: createKeptReadings(),
  }
}

const maxWaiting = 256

/** What a reader does in turn, to limit the memory of all reads together. */
export interface ReadQueues extends Pick<
  Reader,
  'readWhole' | 'workOnWhole' | 'large' | 'outsideThread' | 'restAfterMail'
> {
  /** Runs a job that needs about `size` bytes when it is its turn. */
  inTurn<T>(size: number, patience: JobOptions, job: () => Promise<T>): Promise<T>
  /** Loads a blob when it is its turn, and holds the turn until `work` is done. Null if it does not exist. */
  bytes<T>(blob: BlobId, patience: JobOptions, work: (found: Buffer) => Promise<T>): Promise<T | null>
}

interface ReadQueuesDeps {
  store: Pick<Store, 'openBlob' | 'readBlob' | 'blobSize'>
  thread: Pick<JobThread<typeof readingJobs>, 'rest'>
  turns: ReadingTurns
}

export function createReadQueues({ store, thread, turns }: ReadQueuesDeps): ReadQueues {
  const { small, large } = turns

  function inTurn<T>(
    size: number,
    { patienceMs = defaultPatienceMs, signal }: JobOptions,
    job: () => Promise<T>,
  ): Promise<T> {
    const work = async (): Promise<T> => {
      collectBefore(size)
      // The thread keeps the memory of its last message.
      if (size > restBeforeBytes) await thread.rest()
      return job()
    }
    return (size > largeMailBytes ? large : small).run(work, patienceMs, signal)
  }

  return {
    inTurn,
    async bytes(blob, patience, work) {
      const size = await store.blobSize(blob)
      if (size === null) return null
      return inTurn(size, patience, async () => {
        const found = await loadBlob(store, blob, { signal: patience.signal, sizeBytes: size })
        patience.signal?.throwIfAborted()
        return found && work(found)
      })
    },
    readWhole: (size, work, signal) =>
      size > largeMailBytes ? turns.wholeReads.run(work, wholePatienceMs, signal) : work(),
    workOnWhole: (size, work, signal) =>
      size > largeMailBytes ? turns.wholeWork.run(work, wholePatienceMs, signal) : work(),
    large,
    outsideThread: {
      run: (job, patienceMs, signal) => large.run(() => thread.rest().then(job), patienceMs, signal),
    },
    restAfterMail: (size) => (size > largeMailBytes ? thread.rest() : Promise.resolve()),
  }
}

/** How long a read waits for its turn. */
export const defaultPatienceMs = 15_000
/** Longer, because each job in this queue waits for several reads. */
const wholePatienceMs = 60_000
