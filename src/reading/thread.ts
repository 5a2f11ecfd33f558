import { Worker } from 'node:worker_threads'
import { noRoom } from '../core/byte-budget.ts'
import type { Clock } from '../core/clock.ts'
import type { Readings } from './jobs.ts'
import type { WorkerAnswer, WorkerRequest } from './worker.ts'

/** A thread that reads large messages, so that the event loop goes on meanwhile. Started when it is first needed. */
export interface ReadingThread {
  /**
   * @param bytes  Not to be used afterwards: where they stand alone in their buffer, they go over to the thread.
   * @returns null where no thread can be started: from sources, or where a bundler left its file out.
   * @throws service_unavailable where the thread ended while it read, or took too long.
   */
  run<Kind extends keyof Readings>(kind: Kind, bytes: Buffer): Promise<Readings[Kind]> | null
  close(): Promise<void>
}

/** @param file  The module of the thread. Default: the one that is built beside this. */
export function createReadingThread(
  clock: Pick<Clock, 'after'>,
  file: URL = new URL('./worker.js', import.meta.url),
): ReadingThread {
  // Node cannot run the sources.
  let isPossible =
    !import.meta.url.endsWith('.ts') || file.href !== new URL('./worker.js', import.meta.url).href
  let worker: Worker | null = null
  let cancelIdle = (): void => {}
  let lastId = 0
  const open = new Map<number, { settle(answer: Exclude<WorkerAnswer, 'ready'>): void; fail(): void }>()

  function start(): Worker {
    // The flags of the process (`--input-type`, `--inspect-brk`) are not meant for it.
    const started = new Worker(file, { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } })
    let isReady = false
    started.on('message', (answer: WorkerAnswer) => {
      if (answer === 'ready') isReady = true
      else open.get(answer.id)?.settle(answer)
    })
    const onEnd = (): void => {
      if (worker !== started) return
      worker = null
      if (!isReady) isPossible = false
      for (const { fail } of open.values()) fail()
    }
    started.on('error', onEnd).on('exit', onEnd)
    started.unref()
    return started
  }

  function end(): Promise<unknown> {
    cancelIdle()
    const ending = worker
    worker = null
    for (const { fail } of open.values()) fail()
    return ending?.terminate() ?? Promise.resolve()
  }

  return {
    run(kind, bytes) {
      if (!isPossible) return null
      cancelIdle()
      const thread = (worker ??= start())
      const id = ++lastId
      return new Promise((resolve, reject) => {
        const settle = (finish: () => void): void => {
          cancelDeadline()
          open.delete(id)
          if (open.size === 0) {
            thread.unref()
            cancelIdle = clock.after(idleMs, () => void end())
          }
          finish()
        }
        const fail = (): void => settle(() => reject(noRoom('The thread that read the message has ended.')))
        const cancelDeadline = clock.after(deadlineMs, () => void end())
        open.set(id, {
          fail,
          settle: (answer) =>
            settle(() =>
              'error' in answer
                ? reject(new Error(answer.error))
                : resolve(answer.result as Readings[typeof kind]),
            ),
        })
        thread.ref()
        const { buffer } = bytes
        const isAlone = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength
        thread.postMessage({ id, kind, bytes } satisfies WorkerRequest, isAlone ? [buffer] : [])
      })
    },
    close: async () => void (await end()),
  }
}

const maxHeapMb = 256
/** An idle thread keeps the memory of its last message. */
const idleMs = 5000
const deadlineMs = 60_000
