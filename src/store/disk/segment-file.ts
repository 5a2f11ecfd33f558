import type { Segment } from '../collection-state.ts'
import type { Entry } from '../entry.ts'
import type { Packed } from '../packed.ts'
import type { Records } from '../records.ts'
import { parsePlaces } from './entries.ts'
import type { DataFolder } from './paths.ts'
import { writeAside } from './replace-file.ts'
import { missingFile } from './snapshot-refusals.ts'
import { type FileToWrite, snapshotPieces, WrittenFile } from './snapshot-pieces.ts'
import { parseIntactLine } from './snapshot-text.ts'
import { BlobUsage } from '../blob-usage.ts'

/**
 * Writes the file of a segment, and notes where each record is in it. Lines of records that rest are copied from the
 * file that is replaced.
 *
 * @param seq  The commit up to which the segment contains all commits.
 * @param flush  Syncs the commits that the file may contain, before the file gets its name.
 */
export async function writeSegment(
  { files, paths }: DataFolder,
  records: Records,
  segment: Segment,
  seq: number,
  flush: () => Promise<void>,
): Promise<void> {
  const { state, number, pack } = segment
  const path = paths.segment(state.name, number)
  const old = pack && pack.live > 0 ? await files.readAll(path) : Buffer.alloc(0)
  if (old === null) throw missingFile(path)
  const usage = new BlobUsage()
  let isSound = true
  const noted = (entry: Entry): Entry => {
    usage.add(entry.blobs)
    return entry
  }
  // Records may change while the lines are written.
  function* lines(before: Buffer): Generator<Entry | { id: string; raw: Buffer }> {
    for (const row of pack ? inFileOrder(pack) : []) {
      if (!pack?.has(row)) continue
      const id = pack.id(row)
      const entry = state.byId.get(id)
      if (entry && entry.text !== '') yield noted(entry)
      else {
        const raw = before.subarray(pack.at(row), pack.at(row) + pack.length(row))
        const line = parseIntactLine(raw, 0, raw.byteLength)
        const blobs = line ? parsePlaces(line.blobs) : undefined
        if (blobs === undefined) isSound = false
        else usage.add(blobs)
        yield { id, raw }
      }
    }
    for (const entry of segment.entries) yield noted(entry)
  }
  const content: FileToWrite = {
    seq,
    indexes: new Map([[state.name, state.signature]]),
    sections: new Map([[state.name, lines(old)]]),
  }
  const written = new WrittenFile()
  const writing = writeAside(files, path, snapshotPieces(content, written), flush).then(() => {
    // The places in a damaged line are not known, only that it may use the same log files as before.
    const logs = new Set([...usage.logs.keys(), ...(isSound ? [] : (pack?.logs ?? []))])
    const stamp = isSound ? files.stampNow(path) : null
    const { size, crc } = written
    const file = stamp && { size, crc, ino: stamp.ino, mtimeMs: stamp.mtimeMs, usage, index: null }
    records.resting.adopt(segment, path, written.lines, { logs }, file)
  })
  segment.replacing = writing.catch(() => {})
  try {
    await writing
  } finally {
    segment.replacing = null
  }
}

/** The rows in the order of their lines, which is the order of arrival. */
function inFileOrder(pack: Packed): number[] {
  return Array.from({ length: pack.count }, (_, row) => row).sort((a, b) => pack.at(a) - pack.at(b))
}
