import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import type { Adapter } from 'lowdb'
import { corrupt, storeFault } from '../io-errors.ts'
import { type Files, writeWhole } from '../../core/files.ts'
import { createSchema, type Schema } from './migrate.ts'
import type { Records } from '../records.ts'
import type { Snapshot, SnapshotLine } from './snapshot-data.ts'
import { editedText } from './snapshot-edits.ts'
import { lineWithCrc } from './snapshot-lines.ts'
import { parseSnapshot } from './snapshot-text.ts'
import { toEntry, toKnownEntry } from '../stored.ts'

/** What reading and writing a snapshot file needs. */
export interface SnapshotPlace {
  readonly files: Files
  readonly path: string
  /** Syncs the commits that the file may contain, before the file is renamed to its final name. */
  readonly flush: () => Promise<void>
  readonly schema: Schema
  readonly onNotice: (text: string) => void
}

/**
 * lowdb's adapter for one file. It has one record per line, so that a person can read it and a diff stays small. It is
 * written under a temporary name and then renamed, so that a crash leaves no partial file. It is written in pieces, so
 * that the event loop is not blocked.
 */
export function createSnapshotFile(place: SnapshotPlace): Adapter<Snapshot> {
  const { files, path, flush, schema, onNotice } = place
  return {
    async read() {
      const bytes = await files.readAll(path)
      if (bytes === null) return null
      const { snapshot, edited } = parseSnapshot(bytes, path, schema)
      if (edited)
        onNotice(`${path} was changed since Localpost wrote it, and was loaded. ${editedText(edited)}`)
      return snapshot
    },
    async write(snapshot) {
      await writeAside(files, path, snapshotPieces(snapshot), flush)
    },
  }
}

/** Replaces a file atomically, also in case of a power cut. */
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
  schema: Schema = createSchema(),
  path: string = 'memory',
): void {
  const lift = { schema, from: schema.assertKnown(snapshot.schema, path) }
  for (const [name, lines] of snapshot.sections) {
    const state = records.stateOrUnknown(name, segment > 0)
    // The stored keys are valid only for the current indexes; otherwise they are computed again.
    const hasKeys = lift.from === schema.version && snapshot.indexes.get(name) === state.signature
    if (lift.from < schema.version || snapshot.edited || (segment > 0 && !hasKeys))
      records.dirty.add(state.segment(segment))
    let count = 0
    for (const line of lines) {
      count++
      const entry = (hasKeys && toKnownEntry(segment, line)) || toEntry(state, segment, line, lift)
      if (!entry) {
        throw corrupt(
          path,
          `entry ${count} of ${name} is no record with id and version.`,
          'Restore the whole folder from one copy, or correct the entry.',
        )
      }
      records.fill(state, entry)
    }
  }
}

/** The snapshot line of a record. The record is the last member, so that a start does not have to parse it. */
function lineOf({ id, version, keys, blobs, text }: SnapshotLine): Buffer {
  const head = JSON.stringify({ id, version, keys, blobs: blobs ?? undefined })
  return lineWithCrc(`${head.slice(1, -1)},"record":${text}}`)
}

/** The text of a file of records in pieces, with its checksums. */
export function* snapshotPieces(snapshot: Snapshot): Generator<Buffer> {
  let crc = 0
  let at = 0
  let parts: Buffer[] = []
  let size = 0
  const add = (bytes: Buffer): void => {
    parts.push(bytes)
    size += bytes.byteLength
  }
  const takePiece = (): Buffer => {
    const bytes = Buffer.concat(parts, size)
    crc = crc32(bytes, crc)
    at += size
    parts = []
    size = 0
    return bytes
  }
  const indexes = JSON.stringify(Object.fromEntries(snapshot.indexes))
  const ids: Record<string, string[]> = {}
  add(Buffer.from(`{"schema":${snapshot.schema},\n"indexes":${indexes},\n`))
  for (const [name, lines] of snapshot.sections) {
    add(Buffer.from(`${JSON.stringify(name)}:[`))
    let separator = firstSeparator
    const own: string[] = (ids[name] = [])
    for (const line of lines) {
      if (line.id !== undefined) own.push(line.id)
      const bytes = line.raw ?? lineOf(line)
      add(separator)
      snapshot.onLine?.(at + size, bytes.byteLength)
      add(bytes)
      separator = nextSeparator
      if (size >= pieceLength) yield takePiece()
    }
    add(Buffer.from('\n],\n'))
  }
  add(Buffer.from(`"ids":${JSON.stringify(ids)},\n`))
  if (snapshot.seq !== undefined) add(Buffer.from(`"seq":${snapshot.seq},\n`))
  yield takePiece()
  const last = Buffer.from(`"crc":"${crc.toString(16).padStart(8, '0')}"}\n`)
  yield last
  snapshot.onEnd?.(at + last.byteLength, crc)
}

const firstSeparator = Buffer.from('\n')
const nextSeparator = Buffer.from(',\n')

// Joining and encoding this much takes about a millisecond.
const pieceLength = 256 * 1024
