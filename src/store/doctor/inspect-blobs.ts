import { isWhole } from '../disk/blob-crc.ts'
import type { CheckpointDeps } from '../disk/checkpoint.ts'
import type { Place } from '../entry.ts'
import { listed, type Report } from './findings.ts'
import type { SoundBytes } from './inspect-log.ts'
import { largeNameForm } from '../disk/paths.ts'
import type { Records } from '../records.ts'
import { createPacer } from '../../core/slices.ts'

/** Checks that the bytes of every message of a record exist and are intact, and looks for bytes without a record. */
export async function inspectBlobs(
  deps: CheckpointDeps,
  records: Records,
  sound: SoundBytes,
  report: Report,
): Promise<void> {
  const { files, paths } = deps
  const pacer = createPacer()
  const named = new Set<string>()
  const lost = new Map<string, Lost[]>()
  const before = report.problems
  let count = 0
  for (const state of records.collections.values()) {
    for (const entry of state.byId.values()) {
      for (const [name, place] of Object.entries(entry.blobs ?? {})) {
        count++
        if (pacer.due()) await pacer.turn()
        if ('large' in place) named.add(place.large)
        const fault = await faultOf(deps, place, sound)
        if (fault === null) continue
        const alike = lost.get(fault.kind) ?? []
        alike.push({ id: entry.id, blob: `${entry.id}/${name} (${place.size})`, text: fault.text })
        lost.set(fault.kind, alike)
      }
    }
  }
  for (const [kind, alike] of lost) reportLost(report, kind, alike)
  if (before > 0 && report.problems === before)
    report.note(
      `The bytes of ${count} messages and contents are there; those of records that cannot be read were not counted.`,
    )
  else if (report.problems === before) report.ok(`The bytes of all ${count} messages and contents are there.`)
  const orphans = (await files.list(paths.larges)).filter(
    (name) => largeNameForm.test(name) && !named.has(name),
  )
  let bytes = 0
  for (const name of orphans) bytes += (await files.size(paths.large(name))) ?? 0
  if (orphans.length > 0) {
    const what = `${orphans.length} files in ${paths.larges} (${bytes} bytes) belong to no record`
    // Their records may be among those that cannot be read.
    report.note(
      report.problems === 0
        ? `${what}. The next start removes them.`
        : `${what} that could be read. They stay until the folder is intact or was saved.`,
    )
  }
}

/** A blob whose bytes cannot be read. */
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

/** Why the bytes at a place cannot be read, and what such places have in common; null if they can be read. */
async function faultOf(
  { files, paths }: CheckpointDeps,
  place: Place,
  sound: SoundBytes,
): Promise<{ kind: string; text: string } | null> {
  if ('large' in place) {
    const path = paths.large(place.large)
    const size = await files.size(path)
    if (size === null)
      return { kind: `their files in ${paths.larges} are missing`, text: `${path} is missing` }
    const kind = `their files in ${paths.larges} are damaged`
    if (size !== place.size) return { kind, text: `${path} has ${size} bytes` }
    const bytes = await files.readAll(path)
    return bytes === null || isWhole(place, bytes)
      ? null
      : { kind, text: `${path} does not hold the bytes that were stored` }
  }
  if (!('log' in place) || place.size === 0) return null
  const path = paths.log(place.log)
  const frames = sound.get(place.log)
  if (!frames) return { kind: `${path} is missing`, text: `${path} is missing` }
  const end = place.at + place.size
  if (isWithin(frames, place.at, end)) return null
  // Another part of the commit may be damaged.
  const bytes = (await files.readAll(path))?.subarray(place.at, end)
  if (bytes?.byteLength === place.size && isWhole(place, bytes)) return null
  return {
    kind: `${path} has no complete commits around them`,
    text: `${path} has no complete commit around byte ${place.at}`,
  }
}

/** Whether the payload of one commit contains the whole range. */
function isWithin(frames: readonly (readonly [number, number])[], start: number, end: number): boolean {
  let low = 0
  let high = frames.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((frames[middle]?.[0] ?? 0) <= start) low = middle + 1
    else high = middle
  }
  const frame = frames[low - 1]
  return frame !== undefined && frame[0] <= start && end <= frame[1]
}
