import { Readable } from 'node:stream'
import { nextTurn } from '../core/machine.ts'

/** Bytes up to this need no slicing. */
export const sliceBytes: number = 128 * 1024

/**
 * A stream of bytes at hand, in slices with a turn of the event loop between them: what encodes, hashes or parses the
 * slices downstream then never blocks for longer than one slice takes.
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
