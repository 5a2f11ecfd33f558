import { type Files, readWhole } from '../../core/files.ts'
import type { CollectionState } from '../collection-state.ts'
import { atRest, Entry } from '../entry.ts'
import { type FileStamp, Packed } from '../packed.ts'
import type { Checkpoint } from './checkpoint-text.ts'
import type { DataFolder } from './paths.ts'
import type { SnapshotFile } from './snapshot-files.ts'
import { olderThan } from './snapshot-refusals.ts'
import { seqEndLength, seqIn, storedCrc } from './snapshot-lines.ts'
import { decodeStartIndex, type StartIndex } from './start-index.ts'

/**
 * Loads the records of a segment from its index for the start, without reading its file. The index must be of exactly
 * this file. The texts of the records stay in the file. The checksum of a line is checked whenever its record is read, and
 * the checksum of the file is checked after the start, by `FileChecks`.
 *
 * @returns False if the file has to be read.
 */
export async function startFromIndex(
  { files, paths }: DataFolder,
  state: CollectionState,
  { name, path, segment }: SnapshotFile,
  checkpoint: Checkpoint,
): Promise<boolean> {
  if (!state.large) return false
  const bytes = await files.readAll(paths.startIndex(state.name, segment)).catch(() => null)
  const index = bytes && decodeStartIndex(state, segment, bytes)
  if (!index) return false
  const found = await readStamp(files, path).catch(() => null)
  if (!found || !isSameStamp(found.stamp, index.file) || olderThan(checkpoint, name, found) !== null)
    return false
  return useIndex(state, segment, path, index)
}

/** The stamp of a file, and the commit up to which it contains all; null without the file or its last checksum. */
async function readStamp(
  files: Files,
  path: string,
): Promise<{ stamp: FileStamp; seq: number | undefined } | null> {
  const stamp = files.stampNow(path)
  const size = await files.size(path)
  if (!stamp || size === null) return null
  const length = Math.min(seqEndLength, size)
  const fd = files.openNow(path)
  try {
    const end = await readWhole(files, fd, size - length, length)
    const crc = storedCrc(end)
    const { ino, mtimeMs } = stamp
    return crc === null ? null : { stamp: { size, crc, ino, mtimeMs }, seq: seqIn(end) }
  } finally {
    await files.close(fd)
  }
}

/** Whether an index with the first stamp is of the file with the second one. */
export function isSameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.size === b.size && a.crc === b.crc && a.ino === b.ino && a.mtimeMs === b.mtimeMs
}

function useIndex(
  state: CollectionState,
  number: number,
  path: string,
  { file, rows, usage, keyed: keyedRows, facts }: StartIndex,
): boolean {
  const segment = state.segment(number)
  const contains = facts === null || facts.isComplete ? 'all' : 'not all facts'
  const pack = new Packed(segment, path, rows, {
    logs: new Set(usage.logs.keys()),
    facts,
    usage,
    file: { ...file, usage, index: contains },
  })
  const { idIndex, byId } = state
  const keyed = keyedRows.map(
    ([row, version, keys]) =>
      new Entry({ id: pack.id(row), segment: number, version, text: '', keys, blobs: atRest }),
  )
  const gap = idIndex.gapAt(pack.first)
  // Only reading the files handles records with the same id.
  if (!gap || (gap.before !== null && pack.last >= gap.before)) return false
  if (keyed.some(({ id }) => byId.has(id)) || hasLoose(state, pack)) return false
  segment.pack = pack
  idIndex.insert(pack)
  for (const entry of keyed) byId.set(entry.id, entry)
  return true
}

/** Whether a record outside of all packs has one of these ids. */
function hasLoose({ segments }: CollectionState, pack: Packed): boolean {
  for (const { entries } of segments.values())
    for (const { id } of entries) if (id >= pack.first && id <= pack.last && pack.find(id) >= 0) return true
  return false
}
