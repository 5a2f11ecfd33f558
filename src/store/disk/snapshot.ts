import { dirname } from 'node:path'
import type { Adapter } from 'lowdb'
import { corrupt, storeFault } from '../io-errors.ts'
import { type Files, writeWhole } from '../../core/files.ts'
import type { Records } from '../records.ts'
import type { Snapshot } from './snapshot-data.ts'
import { editedText } from './snapshot-edits.ts'
import { snapshotPieces } from './snapshot-pieces.ts'
import { parseSnapshot } from './snapshot-text.ts'
import { toEntry, toKnownEntry } from './entries.ts'

/** Dependencies of reading and writing a snapshot file. */
export interface SnapshotPlace {
  readonly files: Files
  readonly path: string
  /** Syncs the commits that the file may contain, before the file is renamed to its final name. */
  readonly flush: () => Promise<void>
  readonly onNotice: (text: string) => void
}

/**
 * lowdb's adapter for one file. It has one record per line, so that a person can read it and a diff stays small. It is
 * written under a temporary name and then renamed, so that a crash leaves no partial file. It is written in pieces, so
 * that the event loop is not blocked.
 */
export function createSnapshotFile(place: SnapshotPlace): Adapter<Snapshot> {
  const { files, path, flush, onNotice } = place
  return {
    async read() {
      const bytes = await files.readAll(path)
      if (bytes === null) return null
      const { snapshot, edited } = parseSnapshot(bytes, path)
      if (edited)
        onNotice(`${path} was changed since Localpost wrote it, and was loaded. ${editedText(edited)}`)
      return snapshot
    },
    async write(snapshot) {
      await writeAside(files, path, snapshotPieces(snapshot), flush)
    },
  }
}

/** Replaces a file: after a crash or a power cut it is either the old or the new one. */
export async function replaceFile(files: Files, path: string, pieces: Iterable<Uint8Array>): Promise<void> {
  await writeAside(files, path, pieces)
  try {
    await files.syncFolder(dirname(path))
  } catch (error) {
    throw storeFault(error, `Writing ${path}`)
  }
}

/**
 * Writes the pieces to a temporary file, syncs it and renames it to the path. The rename is durable only after the
 * folder is synced too.
 */
async function writeAside(
  files: Files,
  path: string,
  pieces: Iterable<Uint8Array>,
  beforeName: () => Promise<void> = async () => {},
): Promise<void> {
  const temporary = `${path}.tmp`
  let fd: number | null = null
  try {
    fd = await files.open(temporary, 'w')
    let at = 0
    for (const bytes of pieces) {
      await writeWhole(files, fd, bytes, at)
      at += bytes.byteLength
    }
    await files.sync(fd)
    const done = fd
    fd = null
    await files.close(done)
    await beforeName()
    await files.rename(temporary, path)
  } catch (error) {
    if (fd !== null) await files.close(fd).catch(() => {})
    await files.remove(temporary).catch(() => {})
    throw storeFault(error, `Writing ${path}`)
  }
}

/** Loads a snapshot's records into memory. */
export function fillRecords(
  records: Records,
  snapshot: Snapshot,
  segment: number,
  path: string = 'memory',
): void {
  for (const [name, lines] of snapshot.sections) {
    const state = records.stateOrUnknown(name, segment > 0)
    // The stored keys are valid only for the current indexes; otherwise they are computed again.
    const hasKeys = snapshot.indexes.get(name) === state.signature
    if (snapshot.edited || (segment > 0 && !hasKeys)) records.dirty.add(state.segment(segment))
    let count = 0
    for (const line of lines) {
      count++
      const entry = (hasKeys && toKnownEntry(segment, line)) || toEntry(state, segment, line)
      if (!entry) {
        throw corrupt(
          path,
          `entry ${count} of ${name} is not a record with an id and a version.`,
          'Restore the whole folder from one copy, or correct the entry.',
        )
      }
      records.fill(state, entry)
    }
  }
}
