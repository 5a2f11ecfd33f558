import { Worker } from 'node:worker_threads'
import { noRoom } from './byte-budget.ts'
import { systemClock, type Clock } from './clock.ts'
import { reviveError } from './errors.ts'
import { createJobQueue } from './job-queue.ts'
import type { JobInputs, JobResult, JobTable, WorkerAnswer, WorkerRequest } from './job-worker.ts'
import { ownBuffers } from './own-buffers.ts'

/**
 * A thread for long work, so that the event loop is not blocked. It is started on first use and works on one job at a time;
 * the others wait in order. Where no thread can be started, jobs run in the caller's thread.
 */
export interface JobThread<Jobs extends JobTable> {
  /**
   * @param inputs  Do not use them afterwards: bytes that fill their buffer are transferred to the thread.
   * @throws What the job throws; service_unavailable if too many wait, if it waited too long, or if the thread ended during
   *   the work; the signal's reason.
   */
  run<Kind extends keyof Jobs & string>(
    kind: Kind,
    inputs: JobInputs<Jobs, Kind>,
    options?: JobOptions,
  ): Promise<JobResult<Jobs, Kind>>
  /** Ends the thread if it has no work and has worked on large data, because it keeps the memory of that. */
  rest(): Promise<void>
  /** Ends the thread. Later jobs run in the caller's thread. */
  close(): Promise<void>
}

/** How long a job may take, and when it is ended. */
export interface JobOptions {
  /** Ends the job, and the thread with it: jobs that wait get another thread. A job in the caller's thread is not ended. */
  signal?: AbortSignal | undefined
  /**
   * The size of the input in bytes or characters. Input of up to {@link longBytes} is processed at once, in the caller's
   * thread. Default: the input is longer.
   */
  size?: number
  /** The thread is ended after this time, by the machine's clock. Default: 60 seconds. */
  deadlineMs?: number
  /** How long the job may wait for others. Default: 60 seconds. */
  patienceMs?: number
}

/**
 * The largest input, in bytes or characters, that is processed in the main thread. That takes a few milliseconds, for hostile
 * input some 0.1 seconds.
 */
export const longBytes: number = 128 * 1024

/**
 * @param jobs  The work by its kind. The thread's module serves the same.
 * @param file  The module of the thread, which calls `serveJobs`. Without one, jobs run in the caller's thread. So they do
 *   when running from sources, and when a bundler left out the file.
 * @param clock  Measures the deadlines.
 */
export function createJobThread<Jobs extends JobTable>(
  jobs: Jobs,
  file: URL | null,
  clock: Pick<Clock, 'after'> = systemClock,
): JobThread<Jobs> {
  // Node 20 cannot run TypeScript sources.
  let isPossible = file !== null && !file.pathname.endsWith('.ts')
  let current: Started | null = null
  let running: RunningJob | null = null
  let isTaken = false
  /** The size of the largest data that the current thread has worked on. */
  let largest = 0
  let isClosed = false
  let cancelIdle = (): void => {}
  const queue = createJobQueue(clock, 1, maxWaiting, 'jobs')

  function start(module: URL): Started {
    largest = 0
    // Flags of the process such as `--input-type` and `--inspect-brk` must not apply to the thread.
    const resourceLimits = { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: maxYoungMb }
    const worker = new Worker(module, { execArgv: [], resourceLimits })
    const isReady = new Promise<boolean>((resolve) => {
      worker.on('message', (answer: WorkerAnswer) => {
        if (answer === 'ready') resolve(true)
        else if (current?.worker === worker) running?.settle(answer)
      })
      const onEnd = (): void => {
        resolve(false)
        if (current?.worker !== worker) return
        current = null
        running?.end(hasEnded())
      }
      worker.on('error', onEnd).on('exit', onEnd)
    })
    return { worker, isReady }
  }

  /** The thread when it has started; null if it cannot. */
  async function ready(): Promise<Worker | null> {
    if (!file || !isPossible || isClosed) return null
    const started = (current ??= start(file))
    // If the thread could not start once, it is not tried again.
    if (!(await started.isReady) && !isClosed) isPossible = false
    return current === started ? started.worker : null
  }

  async function end(): Promise<void> {
    cancelIdle()
    const ending = current
    current = null
    await ending?.worker.terminate()
  }

  function ask(
    worker: Worker,
    request: WorkerRequest,
    signal?: AbortSignal,
    deadlineMs = 60_000,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        cancelDeadline()
        signal?.removeEventListener('abort', onAbort)
        running = null
        finish()
      }
      // Not before the thread has ended, so that the next one does not run beside it.
      const endWith = (reason: unknown): void => settle(() => void end().finally(() => reject(reason)))
      const onAbort = (): void => endWith(signal?.reason)
      const cancelDeadline = clock.after(deadlineMs, () => endWith(hasEnded()))
      signal?.addEventListener('abort', onAbort)
      running = {
        end: endWith,
        settle: (answer) =>
          settle(() => ('error' in answer ? reject(reviveError(answer.error)) : resolve(answer.result))),
      }
      try {
        // The bytes are not transferred before the thread is ready, so they are still usable if it cannot start.
        worker.postMessage(request, ownBuffers(request.inputs))
      } catch (error) {
        // It contains something that cannot be copied to a thread, such as a function.
        settle(() => reject(error))
      }
    })
  }

  async function work<Kind extends keyof Jobs & string>(
    kind: Kind,
    inputs: JobInputs<Jobs, Kind>,
    { signal, deadlineMs }: JobOptions,
  ): Promise<JobResult<Jobs, Kind>> {
    isTaken = true
    cancelIdle()
    try {
      const worker = await ready()
      signal?.throwIfAborted()
      worker?.ref()
      largest = Math.max(largest, sizeOfMessage(inputs))
      return (await (worker
        ? ask(worker, { kind, inputs }, signal, deadlineMs)
        : jobs[kind]?.(...inputs))) as JobResult<Jobs, Kind>
    } finally {
      isTaken = false
      // Ends in a while, unless more work comes.
      current?.worker.unref()
      cancelIdle = clock.after(idleMs, () => void end())
    }
  }

  return {
    async run<Kind extends keyof Jobs & string>(
      kind: Kind,
      inputs: JobInputs<Jobs, Kind>,
      options: JobOptions = {},
    ): Promise<JobResult<Jobs, Kind>> {
      const { size = Number.POSITIVE_INFINITY, patienceMs = 60_000, signal } = options
      if (size > longBytes) return queue.run(() => work(kind, inputs, options), patienceMs, signal)
      signal?.throwIfAborted()
      return (await jobs[kind]?.(...inputs)) as JobResult<Jobs, Kind>
    },
    async rest() {
      if (!isTaken && largest > keptBytes) await end()
    },
    close() {
      isClosed = true
      running?.end(hasEnded())
      return end()
    },
  }
}

/** About how long the texts and bytes in a value are. */
function sizeOfMessage(value: unknown, levels = 2): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  if (value instanceof Uint8Array) return value.byteLength
  return levels === 0
    ? 0
    : Object.values(value).reduce<number>((sum, one) => sum + sizeOfMessage(one, levels - 1), 0)
}

function hasEnded(): Error {
  return noRoom('The thread that worked on the message has ended.')
}

interface Started {
  worker: Worker
  isReady: Promise<boolean>
}

interface RunningJob {
  settle(answer: Exclude<WorkerAnswer, 'ready'>): void
  /** Ends the thread, and the job with this reason. */
  end(reason: unknown): void
}

/** Before a job on more bytes than this, the thread is ended by `rest`. A new one starts in some 30 ms, far less than the job takes. */
export const heavyBytes: number = 8 * 1024 * 1024

/** A thread whose largest input had up to so many bytes keeps little memory. It is not ended, because a start takes 100 ms of CPU. */
const keptBytes = 2 * 1024 * 1024

const maxHeapMb = 256
/** For new objects. V8 would take up to 48 MB. */
const maxYoungMb = 12
const maxWaiting = 256
/** An idle thread is ended after this time, because it keeps the memory of its last message. */
const idleMs = 5000
