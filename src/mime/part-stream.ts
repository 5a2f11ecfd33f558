import { createHash } from 'node:crypto'
import { sliceBytes } from './slices.ts'
import type { PlacedPart } from './part.ts'
import { createTransferDecoder } from './transfer.ts'

/** Where the encoded bytes of a part are, and how to decode them. */
export type Placement = Pick<PlacedPart, 'encoding' | 'start' | 'end'>

/** The bytes of one part, decoded; the text of a body stays in its charset. */
export function readPart(message: Buffer, part: Placement): Buffer {
  const pieces = [...decodedPieces(message, part)]
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)
}

/** Size and checksum of the decoded bytes. Only a slice is in memory at a time. */
export function measurePart(message: Buffer, part: Placement): { size_bytes: number; sha256: string } {
  const hash = createHash('sha256')
  let size_bytes = 0
  for (const piece of decodedPieces(message, part)) {
    hash.update(piece)
    size_bytes += piece.length
  }
  return { size_bytes, sha256: hash.digest('hex') }
}

function* decodedPieces(message: Buffer, { encoding, start, end }: Placement): Generator<Buffer> {
  const decoder = createTransferDecoder(encoding)
  for (let at = start; at < end; at += sliceBytes)
    yield decoder.write(message.subarray(at, Math.min(at + sliceBytes, end)))
  yield decoder.end()
}
