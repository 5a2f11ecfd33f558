import { crc32 } from 'node:zlib'
import { formatVersion } from './format.ts'
import { enlarged, mostOctets } from './frame.ts'
import type { Snapshot, SnapshotLine } from './snapshot-data.ts'
import { setLineCrc, unsignedLine } from './snapshot-lines.ts'

/**
 * The text of a file of records in pieces, with its checksums.
 *
 * @returns Each piece is valid until the next one is taken.
 */
export function* snapshotPieces(snapshot: Snapshot): Generator<Buffer> {
  const piece = new Piece()
  let crc = 0
  let at = 0
  const takePiece = (): Buffer => {
    const bytes = piece.take()
    crc = crc32(bytes, crc)
    at += bytes.byteLength
    return bytes
  }
  const indexes = JSON.stringify(Object.fromEntries(snapshot.indexes))
  const ids: Record<string, string[]> = {}
  piece.add(`{"schema":${formatVersion},\n"indexes":${indexes},\n`)
  for (const [name, lines] of snapshot.sections) {
    piece.add(`${JSON.stringify(name)}:[`)
    const own: string[] = (ids[name] = [])
    let separator = '\n'
    for (const line of lines) {
      if (line.id !== undefined) own.push(line.id)
      piece.add(separator)
      const start = piece.size
      piece.addLine(line)
      snapshot.onLine?.(at + start, piece.size - start)
      separator = ',\n'
      if (piece.size >= pieceLength) yield takePiece()
    }
    piece.add('\n],\n')
  }
  piece.add(`"ids":${JSON.stringify(ids)},\n`)
  if (snapshot.seq !== undefined) piece.add(`"seq":${snapshot.seq},\n`)
  yield takePiece()
  const last = Buffer.from(`"crc":"${crc.toString(16).padStart(8, '0')}"}\n`)
  yield last
  snapshot.onEnd?.(at + last.byteLength, crc)
}

/** Collects the bytes of one piece. All pieces of a file use the same buffer. */
class Piece {
  size = 0
  #bytes: Buffer = Buffer.allocUnsafeSlow(pieceLength + lineRoom)

  add(text: string): void {
    this.#makeRoom(text.length * mostOctets)
    this.size += this.#bytes.write(text, this.size)
  }

  addLine(line: SnapshotLine): void {
    const start = this.size
    if (line.raw) {
      this.#makeRoom(line.raw.byteLength)
      this.#bytes.set(line.raw, start)
      this.size += line.raw.byteLength
    } else {
      this.add(unsignedLine(membersOf(line)))
      setLineCrc(this.#bytes, start, this.size)
    }
  }

  take(): Buffer {
    const bytes = this.#bytes.subarray(0, this.size)
    this.size = 0
    return bytes
  }

  #makeRoom(length: number): void {
    const end = this.size + length
    if (end > this.#bytes.byteLength) this.#bytes = enlarged(this.#bytes, this.size, end)
  }
}

/** The members of a line. The record is the last one, so that a start does not have to parse it. */
function membersOf({ id, version, keys, blobs, text }: SnapshotLine): string {
  const head = JSON.stringify({ id, version, keys, blobs: blobs ?? undefined })
  return `${head.slice(1, -1)},"record":${text}`
}

// Encoding this much takes about a millisecond.
const pieceLength = 256 * 1024
/** Room for one more line after a full piece. Nearly all lines need less, so the buffer is rarely enlarged. */
const lineRoom = 64 * 1024
