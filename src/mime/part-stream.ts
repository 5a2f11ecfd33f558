import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { sliceBytes, inSlices } from './slices.ts'
import type { PlacedPart } from './part.ts'
import { createTransferDecoder, decodeTransfer } from './transfer.ts'
import { nextTurn } from '../core/machine.ts'

/** Where the encoded bytes of a part are, and how to decode them. */
export type Placement = Pick<PlacedPart, 'encoding' | 'start' | 'end'>

/** The bytes of one part, decoded slice by slice; the text of a body stays in its charset. */
export function openPart(message: Buffer, { encoding, start, end }: Placement): Readable {
  return decodeTransfer(inSlices(message.subarray(start, end)), encoding)
}

/** All of {@link openPart} at once. */
export async function readPart(message: Buffer, part: Placement): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of decodedPieces(message, part)) pieces.push(piece)
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)
}

/** Size and checksum of the decoded bytes. Only a slice is in memory at a time. */
export async function measurePart(
  message: Buffer,
  part: Placement,
): Promise<{ size_bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let size_bytes = 0
  for await (const piece of decodedPieces(message, part)) {
    hash.update(piece)
    size_bytes += piece.length
  }
  return { size_bytes, sha256: hash.digest('hex') }
}

/** Yields to the event loop between the slices. */
async function* decodedPieces(message: Buffer, { encoding, start, end }: Placement): AsyncGenerator<Buffer> {
  const decoder = createTransferDecoder(encoding)
  for (let at = start; at < end; at += sliceBytes) {
    if (at > start) await nextTurn()
    yield decoder.write(message.subarray(at, Math.min(at + sliceBytes, end)))
  }
  yield decoder.end()
}
