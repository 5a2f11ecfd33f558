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

/** A file's bytes; none if it is missing or cannot be read. @param onFault  Called with what is wrong with it. */
export async function readOr(
  { files }: Pick<SalvageReading, 'files'>,
  path: string,
  onFault: (text: string) => void,
): Promise<Buffer> {
  try {
    const bytes = await files.readAll(path)
    if (bytes) return bytes
    onFault('is missing')
  } catch (error) {
    onFault(`cannot be read (${messageOf(error)})`)
  }
  return Buffer.alloc(0)
}

/** Reads every intact record into memory. @returns The files of records that are missing or damaged. */
export async function salvageRecords(
  reading: SalvageReading,
  checkpoint: Checkpoint | null,
): Promise<DamagedFile[]> {
  const { paths, records, restored } = reading
  const missing = checkpoint ? missingFrom(checkpoint, await listSnapshot(reading)) : []
  const isKnown = (name: string): boolean => records.collections.known(name) !== undefined
  const { damaged, edited } = await readIntact(reading, checkpoint, records, isKnown)
  for (const { path, edits } of edited) restored.push(`${path} was edited. ${editedText(edits)}`)
  const lost = missing.map((name) => {
    const path = join(paths.folder, name)
    return { name, path, what: `${path} is missing.`, lines: [], isCut: true }
  })
  return [...lost, ...damaged]
}

/** The checkpoint, or null if it is damaged or missing. */
export async function salvageCheckpoint(reading: SalvageReading): Promise<Checkpoint | null> {
  const { paths, restored } = reading
  let fault: string | null = null
  const bytes = await readOr(reading, paths.checkpoint, (text) => (fault = `${paths.checkpoint} ${text}`))
  try {
    if (fault === null) return parseCheckpoint(bytes, paths.checkpoint)
  } catch (error) {
    if (isErrorOf(error, 'store_newer_schema', 'invalid_option')) throw error
    fault = `${paths.checkpoint} is damaged`
  }
  restored.push(`${fault}. A new one was written.`)
  return null
}
