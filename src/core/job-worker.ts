import { parentPort } from 'node:worker_threads'
import { LocalpostError } from './errors.ts'
import { asBuffer, buffersInside } from './own-buffers.ts'

/** The work of a thread by its kind: plain functions from data to data. */
export type JobTable = Readonly<Record<string, (...inputs: never[]) => unknown>>

/** The inputs of a job. A `Buffer` arrives as a `Buffer`, also in another thread. */
export type JobInputs<Jobs extends JobTable, Kind extends keyof Jobs> = Readonly<Parameters<Jobs[Kind]>>

/** The result of a job. A `Buffer` in it arrives as a `Uint8Array` if a thread made it. */
export type JobResult<Jobs extends JobTable, Kind extends keyof Jobs> = Awaited<ReturnType<Jobs[Kind]>>

export interface WorkerRequest {
  kind: string
  inputs: readonly unknown[]
}

/** An answer of the thread; `ready` when it has started. */
export type WorkerAnswer = 'ready' | { result: unknown } | { error: PlainError }

/** Runs the jobs that the thread's owner sends. Called once in the thread's module. */
export function serveJobs(jobs: JobTable): void {
  // Null in the main thread, where tests load the module.
  const port = parentPort
  const post = (answer: WorkerAnswer, bytes: ArrayBuffer[] = []): void => port?.postMessage(answer, bytes)
  async function work({ kind, inputs: received }: WorkerRequest): Promise<void> {
    try {
      const inputs = received.map((input) => (input instanceof Uint8Array ? asBuffer(input) : input))
      const result = await jobs[kind]?.(...(inputs as never[]))
      post({ result }, buffersInside(result))
    } catch (error) {
      post({ error: plainError(error) })
    }
  }
  port?.on('message', (request: WorkerRequest) => void work(request))
  post('ready')
}

/** An error as it goes from one thread to another. */
export type PlainError =
  | Pick<LocalpostError, 'code' | 'message' | 'status' | 'errors' | 'headers' | 'cause'>
  | string

/** @returns An error that is not a `LocalpostError` as its text. */
export function plainError(error: unknown): PlainError {
  if (!(error instanceof LocalpostError)) return String(error)
  const { code, message, status, errors, headers, cause } = error
  return { code, message, status, errors, headers, cause: typeof cause === 'string' ? cause : undefined }
}

/** The error that {@link plainError} was made from. */
export function reviveError(plain: PlainError): Error {
  if (typeof plain === 'string') return new Error(plain)
  const { code, message, errors, ...details } = plain
  // Its entries were counted when it was made.
  return Object.assign(new LocalpostError(code, message, details), { errors })
}
