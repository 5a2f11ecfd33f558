import { isWhole } from '../disk/blob-crc.ts'
import { largeNameForm, type ReadableFolder } from '../disk/paths.ts'
import type { LargePlace, LogPlace } from '../entry.ts'
import type { Records } from '../records.ts'
import { forEachSlice } from '../../core/slices.ts'
import { addTo, listed, type Report } from './findings.ts'

/** A blob of a record, and where it is stored. */
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
  /** By what they have in common. */
  const lost = new Map<string, LostBlob[]>()
  await inspectLarge(folder, large, lost)
  for (const [log, blobs] of inLogs) await inspectInLog(folder, log, blobs, lost)
  for (const [kind, blobs] of lost) reportLost(report, kind, blobs)
  if (before > 0 && report.problems === before)
    report.note(
      `The bytes of ${count} messages and contents are there; those of records that cannot be read were not counted.`,
    )
  else if (report.problems === before) report.ok(`The bytes of all ${count} messages and contents are there.`)
  await inspectOrphans(folder, new Set(large.map(({ place }) => place.large)), report)
}

interface LostBlob {
  readonly blob: StoredBlob<LargePlace | LogPlace>
  readonly fault: string
}

async function inspectLarge(
  { files, paths }: ReadableFolder,
  blobs: readonly StoredBlob<LargePlace>[],
  lost: Map<string, LostBlob[]>,
): Promise<void> {
  await forEachSlice(blobs, async (blob) => {
    const { large, size } = blob.place
    const path = paths.large(large)
    // A folder in its place has no bytes.
    const bytes = await files.readAll(path).catch(() => Buffer.alloc(0))
    const damaged = `their files in ${paths.larges} are damaged`
    if (bytes === null)
      addTo(lost, `their files in ${paths.larges} are missing`, { blob, fault: `${path} is missing` })
    else if (bytes.byteLength !== size)
      addTo(lost, damaged, { blob, fault: `${path} has ${bytes.byteLength} bytes` })
    else if (!isWhole(blob.place, bytes)) addTo(lost, damaged, { blob, fault: `${path} ${notStored}` })
  })
}

async function inspectInLog(
  { files, paths }: ReadableFolder,
  log: number,
  blobs: readonly StoredBlob<LogPlace>[],
  lost: Map<string, LostBlob[]>,
): Promise<void> {
  const path = paths.log(log)
  // An unreadable file is reported with the log.
  const bytes = await files.readAll(path).catch(() => null)
  await forEachSlice(blobs, (blob) => {
    const { at, size } = blob.place
    if (bytes && isWhole(blob.place, bytes.subarray(at, at + size))) return
    const kind = `${path} ${bytes ? notStored : 'is missing'}`
    addTo(lost, kind, { blob, fault: `${kind}, from byte ${at} on` })
  })
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

/** One line for each of a few; if many are lost in the same way, one line for all. */
function reportLost(report: Report, kind: string, lost: readonly LostBlob[]): void {
  const nameOf = ({ blob: { id, name, place } }: LostBlob): string => `${id}/${name} (${place.size})`
  if (lost.length > maxLinesOfLost)
    return report.problem(
      `The bytes of ${lost.length} messages and contents are lost: ${kind}: ${listed(lost.map(nameOf))}.`,
      'Restore what is missing from a copy, or remove these records.',
    )
  for (const one of lost)
    report.problem(
      `The bytes ${nameOf(one)} are lost: ${one.fault}.`,
      `Restore that file from a copy, or remove ${one.blob.id}.`,
    )
}

const maxLinesOfLost = 3
