import { crc32 } from 'node:zlib'
import type { WrittenLine } from '../packed.ts'
import type { IndexKey } from '../queries.ts'
import { formatVersion } from './format.ts'
import { footer, seqLine, signedLine } from './snapshot-lines.ts'

/** A record to write to a file of records; an entry in memory is one. */
export interface LineToWrite {
  readonly id: string
  readonly version: number
  readonly keys?: readonly (IndexKey | null)[]
  readonly text: string
  readonly blobs: unknown
}

export interface FileToWrite {
  readonly seq?: number | undefined
  readonly indexes: ReadonlyMap<string, string>
  /** Records by collection; one that does not change is given by its line in the replaced file. Iterated only once. */
  readonly sections: ReadonlyMap<
    string,
    Iterable<LineToWrite | { readonly id: string; readonly raw: Buffer }>
  >
}

/** What was written: filled while the pieces are taken, complete after the last one. */
export class WrittenFile {
  readonly lines: WrittenLine[] = []
  size = 0
  crc = 0
}

/** The text of a file of records in pieces. One record is in each line, for people who read it, and for small diffs. */
export function* snapshotPieces(
  { seq, indexes, sections }: FileToWrite,
  written: WrittenFile = new WrittenFile(),
): Generator<Buffer> {
  let parts: Buffer[] = []
  let length = 0
  const add = (part: Buffer | string): void => {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part
    parts.push(bytes)
    length += bytes.byteLength
    written.size += bytes.byteLength
  }
  const takePiece = (): Buffer => {
    const bytes = Buffer.concat(parts, length)
    parts = []
    length = 0
    written.crc = crc32(bytes, written.crc)
    return bytes
  }
  const ids: Record<string, string[]> = {}
  add(`{"schema":${formatVersion},\n"indexes":${JSON.stringify(Object.fromEntries(indexes))},\n`)
  for (const [name, lines] of sections) {
    add(`${JSON.stringify(name)}:[`)
    const sectionIds: string[] = (ids[name] = [])
    let separator = '\n'
    for (const line of lines) {
      sectionIds.push(line.id)
      add(separator)
      const at = written.size
      add('raw' in line ? line.raw : signedLine(writeMembers(line)))
      written.lines.push({ id: line.id, at, length: written.size - at })
      separator = ',\n'
      if (length >= pieceLength) yield takePiece()
    }
    add('\n],\n')
  }
  add(`"ids":${JSON.stringify(ids)},\n`)
  if (seq !== undefined) add(seqLine(seq))
  yield takePiece()
  const last = Buffer.from(footer(written.crc))
  written.size += last.byteLength
  yield last
}

/** The members of a line. The record is the last one, so that a start does not have to parse it. */
function writeMembers({ id, version, keys, blobs, text }: LineToWrite): string {
  const head = JSON.stringify({ id, version, keys, blobs: blobs ?? undefined })
  return `${head.slice(1, -1)},"record":${text}`
}

// Encoding this much takes about a millisecond.
const pieceLength = 256 * 1024
