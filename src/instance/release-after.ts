import { Readable } from 'node:stream'

/** Calls `work`, and calls `release` when `work` has ended, and also the stream that it may return. */
export async function releaseAfter<T>(work: () => Promise<T>, release: () => void): Promise<T> {
  let stream: Readable | null = null
  try {
    const result = await work()
    stream = streamOf(result)
    return result
  } finally {
    if (stream && !stream.closed) stream.once('close', release)
    else release()
  }
}

/** The stream that a method of the library returns: it continues after the call. */
function streamOf(result: unknown): Readable | null {
  if (result instanceof Readable) return result
  if (typeof result !== 'object' || result === null || !('stream' in result)) return null
  return result.stream instanceof Readable ? result.stream : null
}
