import { Readable } from 'node:stream'

/**
 * Calls `work`, and calls `release` when `work` has ended, and also the stream that it may return: a `Readable` of Node, or
 * one in a member `stream`. After any other result, also one with a stream elsewhere, it releases at once.
 */
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

/** The stream in a result, which continues after the call. */
function streamOf(result: unknown): Readable | null {
  if (result instanceof Readable) return result
  if (typeof result !== 'object' || result === null || !('stream' in result)) return null
  return result.stream instanceof Readable ? result.stream : null
}
