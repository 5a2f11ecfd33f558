import { parentPort } from 'node:worker_threads'
import { ownBuffers } from './own-buffers.ts'
import { jobs, type JobInputs, type Readings } from './jobs.ts'

/** What the thread is asked. */
export interface WorkerRequest {
  id: number
  kind: keyof Readings
  /** As {@link JobInputs} has them; what is a `Buffer` there comes as a `Uint8Array`. */
  inputs: readonly unknown[]
}

/** What it answers; `ready` when it has started. */
export type WorkerAnswer = 'ready' | { id: number; result: unknown } | { id: number; error: string }

const port = parentPort
port?.on('message', ({ id, kind, inputs }: WorkerRequest) => {
  work(kind, inputs.map(withBuffers) as unknown as JobInputs[typeof kind]).then(
    (result) => port.postMessage({ id, result } satisfies WorkerAnswer, ownBuffers([result])),
    (error: unknown) => port.postMessage({ id, error: String(error) } satisfies WorkerAnswer),
  )
})
port?.postMessage('ready' satisfies WorkerAnswer)

function work<Kind extends keyof Readings>(kind: Kind, inputs: JobInputs[Kind]): Promise<Readings[Kind]> {
  return jobs[kind](...inputs)
}

function withBuffers(input: unknown): unknown {
  return input instanceof Uint8Array ? Buffer.from(input.buffer, input.byteOffset, input.byteLength) : input
}
