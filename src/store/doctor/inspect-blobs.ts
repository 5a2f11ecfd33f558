import { isWhole } from '../disk/blob-crc.ts'
import { largeNameForm, type ReadableFolder } from '../disk/paths.ts'
import type { LargePlace, LogPlace } from '../entry.ts'
import type { Records } from '../records.ts'
import { forEachSlice } from '../../core/slices.ts'
import { listed, type Report } from './findings.ts'

interface Stored<P> {
  readonly id: string
  readonly name: string
  readonly place: P
}

/** Checks that the bytes of every message of a record exist and are intact, and looks for bytes without a record. */
export async function inspectBlobs(
  { files, paths }: ReadableFolder,
  records: Records,
  report: Report,
): Promise<void> {
  const before = report.problems
  const large: Stored<LargePlace>[] = []
  const inLogs = new Map<number, Stored<LogPlace>[]>()
  let count = 0
  for (const { byId } of records.collections.all()) {
    for (const { id, blobs } of byId.values()) {
      for (const [name, place] of Object.entries(blobs ?? {})) {
        count++
        if ('large' in place) large.push({ id, name, place })
        else if ('log' in place && place.size > 0) {
          const others = inLogs.get(place.log)
          if (others) others.push({ id, name, place })
          else inLogs.set(place.log, [{ id, name, place }])
        }
      }
    }
  }
  const lost = new Map<string, Lost[]>()
  const lose = (kind: string, { id, name, place }: Stored<LargePlace | LogPlace>, text: string): void => {
    const alike = lost.get(kind) ?? []
    alike.push({ id, blob: `${id}/${name} (${place.size})`, text })
    lost.set(kind, alike)
  }
  await forEachSlice(large, async (blob) => {
    const path = paths.large(blob.place.large)
    // A folder in its place has no bytes.
    const bytes = await files.readAll(path).catch(() => Buffer.alloc(0))
    const { size } = blob.place
    if (bytes === null) lose(`their files in ${paths.larges} are missing`, blob, `${path} is missing`)
    else if (bytes.byteLength !== size || !isWhole(blob.place, bytes)) {
      const isCut = bytes.byteLength !== size
      const what = isCut ? `has ${bytes.byteLength} bytes` : 'does not hold the bytes that were stored'
      lose(`their files in ${paths.larges} are damaged`, blob, `${path} ${what}`)
    }
  })
  for (const [log, blobs] of inLogs) {
    const path = paths.log(log)
    // An unreadable file is reported with the log.
    const bytes = await files.readAll(path).catch(() => null)
    await forEachSlice(blobs, (blob) => {
      const { at, size } = blob.place
      if (bytes && isWhole(blob.place, bytes.subarray(at, at + size))) return
      const what = bytes ? 'does not hold the bytes that were stored' : 'is missing'
      lose(`${path} ${what}`, blob, `${path} ${what}, from byte ${at} on`)
    })
  }
  for (const [kind, alike] of lost) reportLost(report, kind, alike)
  if (before > 0 && report.problems === before)
    report.note(
      `The bytes of ${count} messages and contents are there; those of records that cannot be read were not counted.`,
    )
  else if (report.problems === before) report.ok(`The bytes of all ${count} messages and contents are there.`)
  await inspectOrphans({ files, paths }, new Set(large.map(({ place }) => place.large)), report)
}

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

interface Lost {
  readonly id: string
  readonly blob: string
  readonly text: string
}

/** One line for each of a few; if many are lost in the same way, one line for all. */
function reportLost(report: Report, kind: string, alike: readonly Lost[]): void {
  if (alike.length > fewLost) {
    const blobs = listed(alike.map(({ blob }) => blob))
    const fix = 'Restore what is missing from a copy, or remove these records.'
    return report.problem(
      `The bytes of ${alike.length} messages and contents are lost: ${kind}: ${blobs}.`,
      fix,
    )
  }
  for (const { id, blob, text } of alike) {
    report.problem(`The bytes ${blob} are lost: ${text}.`, `Restore that file from a copy, or remove ${id}.`)
  }
}

const fewLost = 3
