import type { Checkpoint } from '../disk/checkpoint-text.ts'
import { fileOf } from '../disk/snapshot-files.ts'
import type { CollectionState } from '../collection-state.ts'
import { listed } from './findings.ts'
import type { History } from './salvage-history.ts'
import type { DamagedFile } from './intact-records.ts'
import type { SalvageReading } from './salvage-read.ts'
import { forgetRecord, loadRecord } from '../loading.ts'

/** A damaged file, and the versions of its records in the log, by id; infinite for a removed record. */
interface Repair {
  readonly file: DamagedFile
  readonly versions: Map<string, number>
}

/**
 * Adds the data that is only in the log: the commits after the checkpoint, and records of damaged files. An intact file
 * contains exactly the records that existed when it was written.
 */
export function mergeHistory(
  reading: SalvageReading,
  checkpoint: Checkpoint | null,
  damaged: readonly DamagedFile[],
  history: History,
): void {
  const { records, lost } = reading
  const repairs = damaged.map((file) => ({ file, versions: new Map<string, number>() }))
  const contained = checkpoint ? null : containedCommits(reading, history)
  const older = new Map<string, number>()
  for (const file of damaged) if (file.older) older.set(file.name, file.older.contains)
  const untilOf = (name: string): number => older.get(name) ?? checkpoint?.seq ?? contained?.get(name) ?? 0
  const old: string[] = []
  for (const [collection, seq] of history.cleared) {
    const state = records.collections.used(collection)
    for (const { id, segment } of state?.byId.values() ?? [])
      if (state && seq > untilOf(fileOfNumber(state, segment))) forgetRecord(records, state, id)
  }
  for (const [collection, seqs] of history.last) {
    const logged = history.records.collections.used(collection)
    if (!logged) continue
    const state = records.collections.stateOrUnknown(collection, logged)
    for (const [id, seq] of seqs) {
      const entry = logged.byId.get(id) ?? null
      const existing = state.byId.get(id) ?? null
      const name = fileOfNumber(state, (existing ?? entry)?.segment ?? 0)
      const repair = existing ? undefined : repairOf(repairs, name, id)
      const until = untilOf(name)
      const isBehind = seq > until
      // An intact file contains every record that was there when it was written.
      if (!isBehind && !repair) continue
      if (entry === null) {
        if (isBehind) forgetRecord(records, state, id)
        repair?.versions.set(id, Number.POSITIVE_INFINITY)
        continue
      }
      if (existing && (!checkpoint || older.has(name)) && entry.version <= existing.version) continue
      loadRecord(records, state, entry)
      repair?.versions.set(id, entry.version)
      const isLast = !history.misses(seq, isBehind && !checkpoint ? history.end : until)
      const inFile = repair?.file.lines.find((line) => line.id === id)?.version
      if (!isLast && inFile !== entry.version) old.push(id)
    }
  }
  const isComplete = history.first === 1 && !history.misses(0, checkpoint?.seq ?? history.end)
  for (const repair of repairs) {
    const { what, older: copy } = repair.file
    if (!copy) reportRepair(reading, { ...repair, isComplete })
    else if (history.misses(copy.contains, checkpoint?.seq ?? history.end))
      lost.push(
        `${what} Not all commits after that are in the log, so later changes of its records may be lost.`,
      )
    else reading.restored.push(`${what} The later commits were taken from the log; nothing of it is lost.`)
  }
  if (old.length > 0) {
    lost.push(
      `Later commits are lost, so ${listed(old)} may have changed or been removed after what was saved of them.`,
    )
  }
}

/** For each file, the last commit that it contains, judged by its records. Used if there is no checkpoint. */
function containedCommits({ records }: SalvageReading, history: History): Map<string, number> {
  const contained = new Map<string, number>()
  for (const [collection, seqs] of history.last) {
    const state = records.collections.used(collection)
    const logged = history.records.collections.used(collection)
    for (const [id, seq] of seqs) {
      const existing = state?.byId.get(id)
      const entry = logged?.byId.get(id)
      if (!state || !existing || !entry || existing.version < entry.version) continue
      const name = fileOfNumber(state, existing.segment)
      contained.set(name, Math.max(contained.get(name) ?? 0, seq))
    }
  }
  return contained
}

function fileOfNumber(state: CollectionState, segment: number): string {
  return fileOf({ state, number: segment })
}

/** The damaged file that a record is missing from, if there is one. */
function repairOf(repairs: readonly Repair[], name: string, id: string): Repair | undefined {
  return repairs.find(
    ({ file }) =>
      file.name === name && (file.isCut || file.lines.some((line) => line.id === id || line.id === null)),
  )
}

/** Reports which records of a damaged file were found in the log. If that is complete, nothing of the file can be lost. */
function reportRepair(
  { restored, lost }: SalvageReading,
  { file, versions, isComplete }: Repair & { isComplete: boolean },
): void {
  const named = new Set(file.lines.map(({ id }) => id))
  const found = [...versions].filter(([, version]) => version < Number.POSITIVE_INFINITY)
  let others = found.filter(([id]) => !named.has(id)).length
  const before = lost.length
  for (const { line, id, version } of isComplete ? [] : file.lines) {
    const known = id === null ? undefined : versions.get(id)
    if (known !== undefined && known >= (version ?? 0)) continue
    if (known !== undefined)
      lost.push(`${file.path}:${line} is damaged; ${id} was saved in the state of an earlier commit.`)
    else if (others > 0) others--
    else lost.push(`${file.path}:${line} is damaged; the record on it${id ? ` (${id})` : ''} is lost.`)
  }
  const count = `${found.length} of its records were taken from the log`
  if (file.isCut && !isComplete)
    lost.push(`${file.what} ${count}, which does not go back far enough to say whether these are all.`)
  else if (lost.length === before) restored.push(`${file.what} ${count}; nothing of it is lost.`)
}
