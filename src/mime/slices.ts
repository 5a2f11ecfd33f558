import { Readable } from 'node:stream'
import { nextTurn } from '../core/machine.ts'

/** Bytes up to this need no slicing. */
export const sliceBytes: number = 128 * 1024

/**
 * Streams bytes in slices, one per turn of the event loop, so that encoding, hashing or parsing downstream blocks for
 * one slice at most.
 *
 * @param bytes  Not copied; must not change until the stream has ended.
 */
export function inSlices(bytes: Buffer): Readable {
  return Readable.from(slices(bytes), { objectMode: false })
}

async function* slices(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += sliceBytes) {
    if (start > 0) await nextTurn()
    yield bytes.subarray(start, start + sliceBytes)
  }
}
