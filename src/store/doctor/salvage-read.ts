import { join } from 'node:path'
import { isErrorOf, messageOf } from '../../core/errors.ts'
import { type Checkpoint, parseCheckpoint } from '../disk/checkpoint-text.ts'
import { editedText } from '../disk/snapshot-edits.ts'
import type { DataFolder } from '../disk/paths.ts'
import { listSnapshot } from '../disk/snapshot-files.ts'
import { missingFrom } from '../disk/snapshot-refusals.ts'
import type { Records } from '../records.ts'
import type { Collection, StoredRecord } from '../store.ts'
import { type DamagedFile, readIntact } from './intact-records.ts'

/** The folder that is salvaged, and what is found in it, to which each step adds. */
export interface SalvageReading extends DataFolder {
  readonly collections: readonly Collection<StoredRecord>[]
  /** `salvageRecords` fills them from the files of records; `mergeHistory` then adds and removes by the log. */
  readonly records: Records
  /** Collects one sentence for each item that is intact nowhere. */
  readonly lost: string[]
  /** Collects one sentence for each damaged file whose content was found elsewhere. */
  readonly restored: string[]
}

/** A file's bytes; what is wrong with it if it is missing or cannot be read. */
export async function readOrFault(
  { files }: Pick<SalvageReading, 'files'>,
  path: string,
): Promise<{ bytes: Buffer } | { fault: string }> {
  try {
    const bytes = await files.readAll(path)
    return bytes ? { bytes } : { fault: 'is missing' }
  } catch (error) {
    return { fault: `cannot be read (${messageOf(error)})` }
  }
}

/** Reads every intact record into memory. @returns The files of records that are missing or damaged. */
export async function salvageRecords(
  reading: SalvageReading,
  checkpoint: Checkpoint | null,
): Promise<DamagedFile[]> {
  const { paths, records, restored } = reading
  const missing = checkpoint ? missingFrom(checkpoint, await listSnapshot(reading)) : []
  const isKnown = (name: string): boolean => records.collections.isKnown(name)
  const { damaged, edited } = await readIntact(reading, checkpoint, records, isKnown)
  for (const { path, edits } of edited) restored.push(`${path} was edited. ${editedText(edits)}`)
  const missingFiles = missing.map((name) => {
    const path = join(paths.folder, name)
    return { name, path, what: `${path} is missing.`, lines: [], isCut: true }
  })
  return [...missingFiles, ...damaged]
}

/** The checkpoint, or null if it is damaged or missing. @throws store_newer_schema; invalid_option for an unreleased format. */
export async function salvageCheckpoint(reading: SalvageReading): Promise<Checkpoint | null> {
  const { paths, restored } = reading
  const read = await readOrFault(reading, paths.checkpoint)
  const parsed = 'fault' in read ? read : parseOrFault(read.bytes, paths.checkpoint)
  if ('checkpoint' in parsed) return parsed.checkpoint
  restored.push(`${paths.checkpoint} ${parsed.fault}. A new one was written.`)
  return null
}

function parseOrFault(bytes: Buffer, path: string): { checkpoint: Checkpoint } | { fault: string } {
  try {
    return { checkpoint: parseCheckpoint(bytes, path) }
  } catch (error) {
    // An intact checkpoint of a newer build, or of one from before the first release (`invalid_option`), is not damaged.
    if (isErrorOf(error, 'store_newer_schema', 'invalid_option')) throw error
    return { fault: 'is damaged' }
  }
}
