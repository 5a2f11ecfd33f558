import type { Files } from '../../core/files.ts'
import type { Schema } from '../disk/migrate.ts'
import type { Paths } from '../disk/paths.ts'
import type { Records } from '../records.ts'
import type { Collection, StoredRecord } from '../store.ts'
import { messageOf } from './findings.ts'

/** What salvaging reads from, and where it puts what it finds out. */
export interface SalvageReading {
  readonly files: Files
  readonly paths: Paths
  readonly schema: Schema
  readonly collections: readonly Collection<StoredRecord>[]
  readonly records: Records
  /** Takes a sentence for each thing that is whole nowhere. */
  readonly lost: string[]
  /** Takes a sentence for each damaged file whose content was found elsewhere. */
  readonly restored: string[]
}

/** A file's bytes; none where it is missing or cannot be read. @param onFault  Takes what is wrong with it. */
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
