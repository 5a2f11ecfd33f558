import { Worker } from 'node:worker_threads'
import { noRoom } from './byte-budget.ts'
import type { Clock } from './clock.ts'
import { ownBuffers } from './own-buffers.ts'
import type { JobKinds, WorkerAnswer, WorkerRequest } from './job-worker.ts'

/** A thread for long work, so that the event loop is not blocked. Started on first use. */
export interface JobThread<Kinds extends JobKinds> {
  /**
   * @param inputs  Do not use them afterwards: bytes that fill their buffer are transferred to the thread.
   * @param signal  Ends the work. The thread ends too, unless it has other work.
   * @returns null if no thread can be started: when running from sources, or when a bundler left out the thread's file.
   * @throws service_unavailable if the thread ended during the work, or took too long; the signal's reason.
   */
  run<Kind extends keyof Kinds & string>(
    kind: Kind,
    inputs: Kinds[Kind]['inputs'],
    signal?: AbortSignal,
  ): Promise<Kinds[Kind]['result'] | null>
  /** Ends the thread if it has no work, because it keeps the memory of its last message. */
  rest(): Promise<void>
  close(): Promise<void>
}

/** @param file  The module of the thread; it calls `serveJobs`. */
export function createJobThread<Kinds extends JobKinds>(
  clock: Pick<Clock, 'after'>,
  file: URL,
  deadlineMs: number = 60_000,
): JobThread<Kinds> {
  // Node 20 cannot run TypeScript sources.
  let isPossible = !file.pathname.endsWith('.ts')
  let current: Started | null = null
  let cancelIdle = (): void => {}
  let lastId = 0
  let isClosed = false
  const open = new Map<number, OpenReading>()

  function start(): Started {
    // Flags of the process such as `--input-type` and `--inspect-brk` must not apply to the thread.
    const resourceLimits = { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: maxYoungMb }
    const worker = new Worker(file, { execArgv: [], resourceLimits })
    const isReady = new Promise<boolean>((resolve) => {
      worker.on('message', (answer: WorkerAnswer) => {
        if (answer === 'ready') resolve(true)
        else open.get(answer.id)?.settle(answer)
      })
      const onEnd = (): void => {
        resolve(false)
        if (current?.worker !== worker) return
        current = null
        failAll()
      }
      worker.on('error', onEnd).on('exit', onEnd)
    })
    return { worker, isReady }
  }

  function failAll(): void {
    for (const { fail } of open.values()) fail()
  }

  async function end(): Promise<void> {
    cancelIdle()
    const ending = current
    current = null
    failAll()
    await ending?.worker.terminate()
  }

  /** Has the thread end in a while, unless more work comes. */
  function idle(worker: Worker): void {
    cancelIdle()
    worker.unref()
    cancelIdle = clock.after(idleMs, () => void end())
  }

  function ask<Kind extends keyof Kinds & string>(
    worker: Worker,
    kind: Kind,
    inputs: Kinds[Kind]['inputs'],
    signal: AbortSignal | undefined,
  ): Promise<Kinds[Kind]['result']> {
    const id = ++lastId
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        cancelDeadline()
        signal?.removeEventListener('abort', onAbort)
        open.delete(id)
        if (open.size === 0) idle(worker)
        finish()
      }
      const fail = (): void =>
        settle(() => reject(noRoom('The thread that worked on the message has ended.')))
      const onAbort = (): void =>
        settle(() => {
          // Not before the thread has ended, so that the next one does not run beside it.
          const ended = open.size === 0 ? end() : Promise.resolve()
          void ended.finally(() => reject(signal?.reason))
        })
      const cancelDeadline = clock.after(deadlineMs, () => void end())
      signal?.addEventListener('abort', onAbort)
      open.set(id, {
        fail,
        settle: (answer) =>
          settle(() => ('error' in answer ? reject(new Error(answer.error)) : resolve(answer.result))),
      })
      cancelIdle()
      worker.ref()
      worker.postMessage({ id, kind, inputs } satisfies WorkerRequest, ownBuffers(inputs))
    })
  }

  return {
    async run(kind, inputs, signal) {
      signal?.throwIfAborted()
      if (!isPossible || isClosed) return null
      cancelIdle()
      const started = (current ??= start())
      // The bytes are not transferred before the thread is ready, so they are still usable if it cannot start.
      const isReady = await started.isReady
      if (isReady && current === started) {
        if (!signal?.aborted) return ask(started.worker, kind, inputs, signal)
        if (open.size === 0) idle(started.worker)
      }
      signal?.throwIfAborted()
      // If the thread could not start once, it is not tried again.
      isPossible &&= isReady
      return null
    },
    async rest() {
      if (open.size === 0) await end()
    },
    close() {
      isClosed = true
      return end()
    },
  }
}

interface Started {
  worker: Worker
  /** Whether the thread started. */
  isReady: Promise<boolean>
}

interface OpenReading {
  settle(answer: Exclude<WorkerAnswer, 'ready'>): void
  fail(): void
}

const maxHeapMb = 256
/** For new objects. V8 would take up to 48 MB. */
const maxYoungMb = 12
/** An idle thread is ended after this time, because it keeps the memory of its last message. */
const idleMs = 5000
