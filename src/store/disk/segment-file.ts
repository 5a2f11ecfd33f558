import { Low } from 'lowdb'
import type { Files } from '../../core/files.ts'
import { corrupt } from '../io-errors.ts'
import type { Places } from '../entry.ts'
import { parsePlaces } from './entries.ts'
import { isLineWhole } from './snapshot-lines.ts'
import { parseLine } from './snapshot-text.ts'
import { BlobUsage, type Packed, type WrittenLine } from '../packed.ts'
import type { Segment } from '../collection-state.ts'
import type { Records } from '../records.ts'
import type { Paths } from './paths.ts'
import { createSnapshotFile } from './snapshot.ts'
import type { Snapshot, SnapshotLine } from './snapshot-data.ts'
import { missingFix } from './snapshot-files.ts'

/** Dependencies of writing a segment. */
export interface SegmentFileDeps {
  readonly files: Files
  readonly paths: Paths
  readonly onNotice: (text: string) => void
}

/**
 * Writes the file of a segment, and notes where each record is in it. Lines of records that rest are copied from the file
 * that is replaced.
 *
 * @param seq  The commit up to which the segment contains all commits.
 * @param flush  As in `SnapshotPlace`.
 */
export async function writeSegment(
  { files, paths, onNotice }: SegmentFileDeps,
  records: Records,
  segment: Segment,
  seq: number,
  flush: () => Promise<void>,
): Promise<void> {
  const { state, number, pack } = segment
  const path = paths.segment(state.name, number)
  const old = pack && pack.live > 0 ? await files.readAll(path) : Buffer.alloc(0)
  if (old === null) throw corrupt(path, 'this file of records is missing.', missingFix)
  const before = old
  const lines: WrittenLine[] = []
  const usage = new BlobUsage()
  let isSound = true
  let end = { size: 0, crc: 0 }
  let id = ''
  // Records may change while the lines are written.
  function* content(): Generator<SnapshotLine> {
    for (const row of pack ? inFileOrder(pack) : []) {
      if (!pack?.has(row)) continue
      id = pack.id(row)
      const entry = state.byId.get(id)
      if (entry && entry.text !== '') yield noted(entry)
      else {
        const raw = before.subarray(pack.at(row), pack.at(row) + pack.length(row))
        const blobs = blobsIn(raw)
        if (blobs === undefined) isSound = false
        else usage.add(blobs)
        yield { id, text: '', blobs: null, raw }
      }
    }
    for (const entry of segment.entries) {
      id = entry.id
      yield noted(entry)
    }
  }
  function noted(entry: SnapshotLine & { blobs: Places | null }): SnapshotLine {
    usage.add(entry.blobs)
    return entry
  }
  const db = new Low<Snapshot>(createSnapshotFile({ files, path, flush, onNotice }), {
    seq,
    indexes: new Map([[state.name, state.signature]]),
    sections: new Map([[state.name, content()]]),
    onLine: (at, length) => lines.push({ id, at, length }),
    onEnd: (size, crc) => (end = { size, crc }),
  })
  const writing = db.write().then(() => {
    // The places in a damaged line are not known, only that it may use the same log files as before.
    const logs = new Set([...usage.logs.keys(), ...(isSound ? [] : (pack?.logs ?? []))])
    const stamp = isSound ? files.stampNow(path) : null
    const file = stamp && { ...end, ino: stamp.ino, mtimeMs: stamp.mtimeMs, usage, index: null }
    records.resting.adopt(segment, path, lines, logs, file)
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

/** The blobs of a copied line; undefined if the line is damaged. */
function blobsIn(line: Buffer): Places | null | undefined {
  if (!isLineWhole(line, 0, line.byteLength)) return undefined
  try {
    const parsed = parseLine(line, 0, line.byteLength)
    return parsed ? parsePlaces(parsed.blobs) : undefined
  } catch {
    return undefined
  }
}
