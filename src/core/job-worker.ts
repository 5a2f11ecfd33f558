import { parentPort } from 'node:worker_threads'
import { plainError, type PlainError } from './errors.ts'
import { asBuffer, buffersInside } from './own-buffers.ts'

/** The work of a thread by its kind: plain functions from data to data. */
export type JobTable = Readonly<Record<string, (...inputs: never[]) => unknown>>

/** The inputs of a job. A `Buffer` arrives as a `Buffer`, also in another thread. */
export type JobInputs<Jobs extends JobTable, Kind extends keyof Jobs> = Readonly<Parameters<Jobs[Kind]>>

/** The result of a job. From another thread, a `Buffer` arrives as a `Uint8Array`. */
export type JobResult<Jobs extends JobTable, Kind extends keyof Jobs> = Awaited<ReturnType<Jobs[Kind]>>

export interface WorkerRequest {
  kind: string
  inputs: readonly unknown[]
}

/** An answer of the thread; `ready` when it has started. */
export type WorkerAnswer = 'ready' | { result: unknown } | { error: PlainError }

/** Runs the jobs that the thread's owner sends. Called once in the thread's module. */
export function serveJobs(jobs: JobTable): void {
  const port = parentPort
  const answer = (given: WorkerAnswer, bytes: ArrayBuffer[] = []): void => port?.postMessage(given, bytes)
  async function work({ kind, inputs }: WorkerRequest): Promise<void> {
    try {
      const given = inputs.map((input) => (input instanceof Uint8Array ? asBuffer(input) : input))
      const result = await jobs[kind]?.(...(given as never[]))
      answer({ result }, buffersInside(result))
    } catch (error) {
      answer({ error: plainError(error) })
    }
  }
  port?.on('message', (request: WorkerRequest) => void work(request))
  answer('ready')
}
