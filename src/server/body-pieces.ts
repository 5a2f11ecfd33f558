import { longBodyBytes } from '../core/json-body.ts'
import { pageBuffer } from '../core/page-memory.ts'

/**
 * Joins the pieces of a body. A long body with a known length is joined while it arrives, because joining 40 MB at the end
 * would block the event loop.
 */
export function createPieces(announced: number): { add(piece: Buffer): void; whole(): Buffer } {
  let pieces: Buffer[] = []
  let size = 0
  /** A buffer of the announced length, with the bytes so far. */
  let joined: Buffer | null = null
  const join = (): Buffer => (pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, size))
  return {
    add(piece) {
      // The announced length may be wrong, so the buffer is allocated only after the first megabyte has arrived.
      if (!joined && size > longBodyBytes && size + piece.length <= announced) {
        joined = pageBuffer(announced)
        join().copy(joined)
        pieces = []
      }
      if (joined) piece.copy(joined, size)
      else pieces.push(piece)
      size += piece.length
    },
    whole: () => joined?.subarray(0, size) ?? join(),
  }
}
