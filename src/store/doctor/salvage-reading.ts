import type { Files } from '../../core/files.ts'
import type { Paths } from '../disk/paths.ts'
import type { Records } from '../records.ts'
import type { Collection, StoredRecord } from '../store.ts'
import { messageOf } from './findings.ts'

/** The folder that is salvaged, and the lists for the report. */
export interface SalvageReading {
  readonly files: Files
  readonly paths: Paths
  readonly collections: readonly Collection<StoredRecord>[]
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
