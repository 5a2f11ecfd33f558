import { parentPort } from 'node:worker_threads'
import { ownBuffers } from './own-buffers.ts'

/** The kinds of work of a thread: what goes in, and what comes out. */
export type JobKinds = Record<string, { inputs: readonly unknown[]; result: unknown }>

/** A request to the thread. */
export interface WorkerRequest {
  id: number
  kind: string
  /** What is a `Buffer` for the work comes as a `Uint8Array`. */
  inputs: readonly unknown[]
}

/** An answer of the thread; `ready` when it has started. */
export type WorkerAnswer = 'ready' | { id: number; result: unknown } | { id: number; error: string }

/** Runs the jobs that the thread's owner sends. Called once in the thread's module. */
export function serveJobs<Kinds extends JobKinds>(jobs: {
  readonly [Kind in keyof Kinds]: (...inputs: Kinds[Kind]['inputs']) => Promise<Kinds[Kind]['result']>
}): void {
  const port = parentPort
  port?.on('message', ({ id, kind, inputs }: WorkerRequest) => {
    jobs[kind as keyof Kinds](...(inputs.map(withBuffers) as Kinds[string]['inputs'])).then(
      (result) => port.postMessage({ id, result } satisfies WorkerAnswer, ownBuffers([result])),
      (error: unknown) => port.postMessage({ id, error: String(error) } satisfies WorkerAnswer),
    )
  })
  port?.postMessage('ready' satisfies WorkerAnswer)
}

function withBuffers(input: unknown): unknown {
  return input instanceof Uint8Array ? Buffer.from(input.buffer, input.byteOffset, input.byteLength) : input
}
