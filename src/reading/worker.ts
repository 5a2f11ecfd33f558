import { parentPort } from 'node:worker_threads'
import { jobs, type Readings } from './jobs.ts'

/** What the thread is asked. */
export interface WorkerRequest {
  id: number
  kind: keyof Readings
  bytes: Uint8Array
}

/** What it answers; `ready` when it has started. */
export type WorkerAnswer = 'ready' | { id: number; result: unknown } | { id: number; error: string }

const port = parentPort
port?.on('message', ({ id, kind, bytes }: WorkerRequest) => {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  jobs[kind](source).then(
    (result) => port.postMessage({ id, result } satisfies WorkerAnswer),
    (error: unknown) => port.postMessage({ id, error: String(error) } satisfies WorkerAnswer),
  )
})
port?.postMessage('ready' satisfies WorkerAnswer)
