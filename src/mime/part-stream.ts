import { createHash } from 'node:crypto'
import { sliceBytes } from './slices.ts'
import type { PlacedPart } from './part.ts'
import type { TransferDecoder } from './transfer-decoder.ts'
import { createTransferDecoder } from './transfer.ts'

/** Where the encoded bytes of a part are, and how to decode them. */
export type Placement = Pick<PlacedPart, 'encoding' | 'start' | 'end'>

/** The bytes of one part, decoded; the text of a body stays in its charset. */
export function readPart(message: Buffer, part: Placement): Buffer {
  return decodePart(message, part).bytes
}

/** The same, with the number of octets that are not of the transfer encoding. */
export function decodePart(message: Buffer, part: Placement): { bytes: Buffer; misfits: number } {
  const decoder = createTransferDecoder(part.encoding)
  const pieces = [...decodedPieces(message, part, decoder)]
  const bytes = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces)
  return { bytes, misfits: decoder.misfits }
}

/** Size and checksum of the decoded bytes, and the octets that are not of the encoding. Only a slice is in memory at a time. */
export function measurePart(
  message: Buffer,
  part: Placement,
): { size_bytes: number; sha256: string; misfits: number } {
  const decoder = createTransferDecoder(part.encoding)
  const hash = createHash('sha256')
  let size_bytes = 0
  for (const piece of decodedPieces(message, part, decoder)) {
    hash.update(piece)
    size_bytes += piece.length
  }
  return { size_bytes, sha256: hash.digest('hex'), misfits: decoder.misfits }
}

function* decodedPieces(
  message: Buffer,
  { start, end }: Placement,
  decoder: TransferDecoder,
): Generator<Buffer> {
  for (let at = start; at < end; at += sliceBytes)
    yield decoder.write(message.subarray(at, Math.min(at + sliceBytes, end)))
  yield decoder.end()
}
