import { isErrorOf, messageOf } from '../../core/errors.ts'
import { isWhole } from '../disk/blob-crc.ts'
import { largeNameForm, type ReadableFolder } from '../disk/paths.ts'
import type { LargePlace, LogPlace } from '../entry.ts'
import type { Records } from '../records.ts'
import { forEachSlice } from '../../core/slices.ts'
import { addTo, listed, type Report } from './findings.ts'

interface StoredBlob<Place> {
  readonly id: string
  readonly name: string
  readonly place: Place
}

/** Checks that the bytes of every message of a record exist and are intact, and looks for bytes without a record. */
export async function inspectBlobs(folder: ReadableFolder, records: Records, report: Report): Promise<void> {
  const before = report.problems
  const large: StoredBlob<LargePlace>[] = []
  const inLogs = new Map<number, StoredBlob<LogPlace>[]>()
  let count = 0
  for (const { byId } of records.collections.all()) {
    for (const { id, blobs } of byId.values()) {
      for (const [name, place] of Object.entries(blobs ?? {})) {
        count++
        if ('large' in place) large.push({ id, name, place })
        else if ('log' in place && place.size > 0) addTo(inLogs, place.log, { id, name, place })
      }
    }
  }
  const found = new Map<string, BlobFault[]>()
  await inspectLarge(folder, large, found)
  for (const [log, blobs] of inLogs) await inspectInLog(folder, log, blobs, found)
  for (const [kind, faults] of found) reportFaults(report, kind, faults)
  if (before > 0 && report.problems === before)
    report.note(
      `The bytes of ${count} messages and contents are there; those of records that cannot be read were not counted.`,
    )
  else if (report.problems === before) report.ok(`The bytes of all ${count} messages and contents are there.`)
  await inspectOrphans(folder, new Set(large.map(({ place }) => place.large)), report)
}

interface BlobFault {
  readonly blob: StoredBlob<LargePlace | LogPlace>
  readonly fault: string
  /** Whether the bytes are lost. If this user may not read their file, they may be intact. */
  readonly isLost: boolean
}

/** What was found, by the words that describe it for many blobs at once. */
type Found = Map<string, BlobFault[]>

async function inspectLarge(
  { files, paths }: ReadableFolder,
  blobs: readonly StoredBlob<LargePlace>[],
  found: Found,
): Promise<void> {
  await forEachSlice(blobs, async (blob) => {
    const path = paths.large(blob.place.large)
    const add = (kind: string, fault: string, isLost = true): void =>
      addTo(found, `their files in ${paths.larges} ${kind}`, { blob, fault, isLost })
    const bytes = await readFile(files, path)
    if (bytes === null) add('are missing', `${path} is missing`)
    else if (typeof bytes === 'string') add('cannot be read', bytes, false)
    else if (bytes.byteLength !== blob.place.size) add('are damaged', `${path} has ${bytes.byteLength} bytes`)
    else if (!isWhole(blob.place, bytes)) add('are damaged', `${path} ${notStored}`)
  })
}

async function inspectInLog(
  { files, paths }: ReadableFolder,
  log: number,
  blobs: readonly StoredBlob<LogPlace>[],
  found: Found,
): Promise<void> {
  const path = paths.log(log)
  const bytes = await readFile(files, path)
  await forEachSlice(blobs, (blob) => {
    const { at, size } = blob.place
    if (typeof bytes === 'string')
      return addTo(found, `${path} cannot be read`, { blob, fault: bytes, isLost: false })
    if (bytes && isWhole(blob.place, bytes.subarray(at, at + size))) return
    const kind = `${path} ${bytes ? notStored : 'is missing'}`
    addTo(found, kind, { blob, fault: `${kind}, from byte ${at} on`, isLost: true })
  })
}

/** A file's bytes; null if it is missing; a text says why it cannot be read. */
async function readFile(files: ReadableFolder['files'], path: string): Promise<Buffer | string | null> {
  try {
    return await files.readAll(path)
  } catch (error) {
    // A folder in its place has no bytes.
    return isErrorOf(error, 'store_corrupt') ? Buffer.alloc(0) : messageOf(error)
  }
}

const notStored = 'does not hold the bytes that were stored'

async function inspectOrphans(
  { files, paths }: ReadableFolder,
  named: ReadonlySet<string>,
  report: Report,
): Promise<void> {
  const names = await files.list(paths.larges)
  const orphans = names.filter((name) => largeNameForm.test(name) && !named.has(name))
  if (orphans.length === 0) return
  let bytes = 0
  for (const name of orphans) bytes += (await files.size(paths.large(name))) ?? 0
  const what = `${orphans.length} files in ${paths.larges} (${bytes} bytes) belong to no record`
  // Their records may be among those that cannot be read.
  report.note(
    report.problems === 0
      ? `${what}. The next start removes them.`
      : `${what} that could be read. They stay until the folder is intact or was saved.`,
  )
}

/** One line for each of a few; if many have the same fault, one line for all. */
function reportFaults(report: Report, kind: string, faults: readonly BlobFault[]): void {
  const nameOf = ({ blob: { id, name, place } }: BlobFault): string => `${id}/${name} (${place.size})`
  const isLost = faults[0]?.isLost ?? true
  const verb = isLost ? 'are lost' : 'were not checked'
  const readable =
    'Let this user read what cannot be read, or restore it from a copy, and run the doctor again.'
  if (faults.length > maxLines)
    return report.problem(
      `The bytes of ${faults.length} messages and contents ${verb}: ${kind}: ${listed(faults.map(nameOf))}.`,
      isLost ? 'Restore what is missing from a copy, or remove these records.' : readable,
    )
  for (const one of faults)
    report.problem(
      `The bytes ${nameOf(one)} ${verb}: ${one.fault}.`,
      isLost ? `Restore that file from a copy, or remove ${one.blob.id}.` : readable,
    )
}

const maxLines = 3
