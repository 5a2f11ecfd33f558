import { Worker } from 'node:worker_threads'
import { noRoom } from './byte-budget.ts'
import { systemClock, type Clock } from './clock.ts'
import { createJobQueue } from './job-queue.ts'
import {
  reviveError,
  type JobInputs,
  type JobResult,
  type JobTable,
  type WorkerAnswer,
  type WorkerRequest,
} from './job-worker.ts'
import { ownBuffers } from './own-buffers.ts'

/** A thread for long work, one job at a time, started on first use. Without one, jobs run in the caller's thread. */
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
  /**
   * Ends the thread if it has no work and has worked on large data, because it keeps the memory of that. Call it after such
   * work, and before work that needs much memory: a job on more than {@link restBeforeBytes}, or work outside the thread.
   */
  rest(): Promise<void>
  /** Ends the thread. Later jobs run in the caller's thread. */
  close(): Promise<void>
}

/** How long a job may take, and when it is ended. */
export interface JobOptions {
  /** Ends the job, and the thread with it: jobs that wait get another thread. A job in the caller's thread is not ended. */
  signal?: AbortSignal | undefined
  /** The size of the input; up to {@link longBytes} the caller's thread processes it. Default: it is longer. */
  size?: number
  /** The thread is ended after this time, by the machine's clock. Default: 60 seconds. */
  deadlineMs?: number
  /** How long the job may wait for others. Default: 60 seconds. */
  patienceMs?: number
}

/** The largest input for the main thread, in bytes or characters: some milliseconds, 0.1 seconds if it is hostile. */
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
  let thread: WorkerThread | null = null
  let isTaken = false
  let isClosed = false
  let cancelIdle = (): void => {}
  const queue = createJobQueue(clock, 1, maxWaiting, 'jobs')

  /** The thread when it has started; null if it cannot. */
  async function ready(): Promise<WorkerThread | null> {
    if (!file || !isPossible || isClosed) return null
    if (!thread || thread.hasEnded) thread = new WorkerThread(file, clock)
    const started = thread
    // If the thread could not start once, it is not tried again.
    if (!(await started.isReady) && !isClosed) isPossible = false
    return started.hasEnded ? null : started
  }

  async function end(): Promise<void> {
    cancelIdle()
    await thread?.end()
  }

  async function work(kind: string, inputs: readonly never[], options: JobOptions): Promise<unknown> {
    isTaken = true
    cancelIdle()
    try {
      const started = await ready()
      if (started) return await started.run({ kind, inputs }, options)
      options.signal?.throwIfAborted()
      return await jobs[kind]?.(...inputs)
    } finally {
      isTaken = false
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
      const job = (): Promise<unknown> => work(kind, inputs, options)
      if (size > longBytes) return (await queue.run(job, patienceMs, signal)) as JobResult<Jobs, Kind>
      signal?.throwIfAborted()
      return (await jobs[kind]?.(...inputs)) as JobResult<Jobs, Kind>
    },
    async rest() {
      if (!isTaken && thread && thread.largestInput > lightBytes) await end()
    },
    close() {
      isClosed = true
      thread?.failJob()
      return end()
    },
  }
}

/** One thread that was started. It works on one job at a time. */
class WorkerThread {
  readonly #worker: Worker
  readonly #clock: Pick<Clock, 'after'>
  /** Whether it has started; false if it cannot. */
  readonly isReady: Promise<boolean>
  hasEnded = false
  /** The size of the largest data that it has worked on. */
  largestInput = 0
  #job: RunningJob | null = null

  constructor(module: URL, clock: Pick<Clock, 'after'>) {
    this.#clock = clock
    const resourceLimits = { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: maxYoungMb }
    // No flags: those of the process, such as `--input-type` and `--inspect-brk`, must not apply to the thread.
    const worker = new Worker(module, { execArgv: [], resourceLimits })
    this.#worker = worker
    this.isReady = new Promise<boolean>((resolve) => {
      worker.on('message', (answer: WorkerAnswer) => {
        if (answer === 'ready') resolve(true)
        else this.#job?.settle(answer)
      })
      const onEnd = (): void => {
        this.hasEnded = true
        resolve(false)
        this.failJob()
      }
      worker.on('error', onEnd).on('exit', onEnd)
    })
  }

  async run(
    request: WorkerRequest,
    { signal, deadlineMs = 60_000 }: Pick<JobOptions, 'signal' | 'deadlineMs'>,
  ): Promise<unknown> {
    this.largestInput = Math.max(this.largestInput, sizeOfMessage(request.inputs))
    this.#worker.ref()
    try {
      signal?.throwIfAborted()
      return await this.#answerTo(request, signal, deadlineMs)
    } finally {
      this.#worker.unref()
    }
  }

  #answerTo(request: WorkerRequest, signal: AbortSignal | undefined, deadlineMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        cancelDeadline()
        signal?.removeEventListener('abort', onAbort)
        this.#job = null
        finish()
      }
      // Not before the thread has ended, so that the next one does not run beside it.
      const fail = (reason: unknown): void => settle(() => void this.end().finally(() => reject(reason)))
      const onAbort = (): void => fail(signal?.reason)
      const cancelDeadline = this.#clock.after(deadlineMs, () => this.failJob())
      signal?.addEventListener('abort', onAbort)
      this.#job = {
        fail,
        settle: (answer) =>
          settle(() => ('error' in answer ? reject(reviveError(answer.error)) : resolve(answer.result))),
      }
      try {
        // The bytes are not transferred before the thread is ready, so they are still usable if it cannot start.
        this.#worker.postMessage(request, ownBuffers(request.inputs))
      } catch (error) {
        // It contains something that cannot be copied to a thread, such as a function.
        settle(() => reject(error))
      }
    })
  }

  /** Ends the thread because its job took too long, or because it cannot go on. */
  failJob(): void {
    this.#job?.fail(noRoom('The thread that worked on the message has ended.'))
  }

  async end(): Promise<void> {
    this.hasEnded = true
    await this.#worker.terminate()
  }
}

interface RunningJob {
  settle(answer: Exclude<WorkerAnswer, 'ready'>): void
  /** Ends the thread, then the job with this reason. */
  fail(reason: unknown): void
}

/** About how long the texts and bytes in a value are. */
function sizeOfMessage(value: unknown, levels = 2): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  if (value instanceof Uint8Array) return value.byteLength
  if (levels === 0) return 0
  return Object.values(value).reduce<number>((sum, member) => sum + sizeOfMessage(member, levels - 1), 0)
}

/** A job on more bytes than this takes far longer than the start of a new thread, which takes some 30 ms. */
export const restBeforeBytes: number = 8 * 1024 * 1024

/**
 * A thread whose largest input had up to so many bytes keeps little memory. It is not ended, because a start takes 100
 * ms of CPU.
 */
const lightBytes = 2 * 1024 * 1024

const maxHeapMb = 256
/** For new objects. V8 would take up to 48 MB. */
const maxYoungMb = 12
const maxWaiting = 256
/** An idle thread is ended after this time, because it keeps the memory of its last message. */
const idleMs = 5000
