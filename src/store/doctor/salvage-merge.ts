import type { Checkpoint } from '../disk/checkpoint-text.ts'
import { fileOf } from '../disk/snapshot-files.ts'
import type { CollectionState } from '../collection-state.ts'
import type { Entry } from '../entry.ts'
import { listed } from './findings.ts'
import type { History } from './salvage-history.ts'
import type { DamagedFile } from './intact-records.ts'
import type { SalvageReading } from './salvage-read.ts'
import { forgetRecord, loadRecord } from '../loading.ts'

/** What is known of the folder, and the damaged files with what the log has of them. */
interface Merge {
  readonly reading: SalvageReading
  readonly checkpoint: Checkpoint | null
  readonly history: History
  readonly repairs: readonly Repair[]
  /** The last commit that each file seems to contain, by its name; null with a checkpoint, which says it. */
  readonly contained: ReadonlyMap<string, number> | null
}

/** A damaged file, and the versions of its records in the log, by id. */
interface Repair {
  readonly file: DamagedFile
  readonly versions: Map<string, number | 'removed'>
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
  const { collections } = reading.records
  const repairs = damaged.map((file) => ({ file, versions: new Map<string, number | 'removed'>() }))
  const contained = checkpoint ? null : containedCommits(reading, history)
  const merge: Merge = { reading, checkpoint, history, repairs, contained }
  forgetCleared(merge)
  const unsure: string[] = []
  for (const [collection, seqs] of history.last) {
    const logged = history.records.collections.used(collection)
    if (!logged) continue
    const state = collections.stateOrUnknown(collection, logged)
    for (const [id, seq] of seqs)
      if (mergeRecord(merge, state, id, seq, logged.byId.get(id) ?? null) === 'unsure') unsure.push(id)
  }
  for (const repair of repairs) reportRepair(merge, repair)
  if (unsure.length > 0)
    reading.lost.push(
      `Later commits are lost, so ${listed(unsure)} may have changed or been removed after what was saved of them.`,
    )
}

/** The last commit that a file contains, by the file's name. */
function lastCommitIn({ repairs, checkpoint, contained }: Merge, name: string): number {
  return olderCopy(repairs, name)?.contains ?? checkpoint?.seq ?? contained?.get(name) ?? 0
}

/** Forgets the records of files that a later commit removed together with their whole collection. */
function forgetCleared(merge: Merge): void {
  const { records } = merge.reading
  for (const [collection, seq] of merge.history.cleared) {
    const state = records.collections.used(collection)
    for (const { id, segment } of state?.byId.values() ?? [])
      if (state && seq > lastCommitIn(merge, fileOf({ state, number: segment })))
        forgetRecord(records, state, id)
  }
}

/**
 * Takes a record from the log, if its file does not have this state of it.
 *
 * @param seq  The last commit that changed it.
 * @param entry  Its state by the log; null if it was removed.
 * @returns `unsure` if later changes of it may be lost.
 */
function mergeRecord(
  merge: Merge,
  state: CollectionState,
  id: string,
  seq: number,
  entry: Entry | null,
): 'sure' | 'unsure' {
  const { checkpoint, history, repairs } = merge
  const { records } = merge.reading
  const existing = state.byId.get(id) ?? null
  const file = fileOf({ state, number: (existing ?? entry)?.segment ?? 0 })
  const lastInFile = lastCommitIn(merge, file)
  const isNewer = seq > lastInFile
  const repair = existing ? undefined : repairOf(repairs, file, id)
  // An intact file contains every record that was there when it was written.
  if (!isNewer && !repair) return 'sure'
  if (entry === null) {
    if (isNewer) forgetRecord(records, state, id)
    repair?.versions.set(id, 'removed')
    return 'sure'
  }
  // Without a checkpoint, or with an older copy, what the file contains is guessed.
  const isGuessed = !checkpoint || olderCopy(repairs, file) !== undefined
  if (existing && isGuessed && entry.version <= existing.version) return 'sure'
  loadRecord(records, state, entry)
  repair?.versions.set(id, entry.version)
  const versionInFile = repair?.file.lines.find((line) => line.id === id)?.version
  if (versionInFile === entry.version) return 'sure'
  return history.misses(seq, isNewer && !checkpoint ? history.end : lastInFile) ? 'unsure' : 'sure'
}

/** What is known of a file that is intact, but an older copy. */
function olderCopy(repairs: readonly Repair[], name: string): DamagedFile['older'] {
  return repairs.find(({ file }) => file.name === name && file.older)?.file.older
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
      const name = fileOf({ state, number: existing.segment })
      contained.set(name, Math.max(contained.get(name) ?? 0, seq))
    }
  }
  return contained
}

/** The damaged file that a record is missing from, if there is one. */
function repairOf(repairs: readonly Repair[], name: string, id: string): Repair | undefined {
  return repairs.find(
    ({ file }) =>
      file.name === name && (file.isCut || file.lines.some((line) => line.id === id || line.id === null)),
  )
}

/** Reports what was found of a damaged file in the log. */
function reportRepair({ reading, checkpoint, history }: Merge, repair: Repair): void {
  const { what, older } = repair.file
  const last = checkpoint?.seq ?? history.end
  if (!older) reportRecords(reading, repair, history.first === 1 && !history.misses(0, last))
  else if (history.misses(older.contains, last))
    reading.lost.push(
      `${what} Not all commits after that are in the log, so later changes of its records may be lost.`,
    )
  else reading.restored.push(`${what} The later commits were taken from the log; nothing of it is lost.`)
}

/**
 * Reports which records of a damaged file were found in the log.
 *
 * @param isComplete  Whether the log has every commit, so that nothing of the file can be lost.
 */
function reportRecords(
  { restored, lost }: SalvageReading,
  { file, versions }: Repair,
  isComplete: boolean,
): void {
  const named = new Set(file.lines.map(({ id }) => id))
  const found = [...versions].filter(([, version]) => version !== 'removed')
  let others = found.filter(([id]) => !named.has(id)).length
  const before = lost.length
  for (const { line, id, version } of isComplete ? [] : file.lines) {
    const known = id === null ? undefined : versions.get(id)
    if (known === 'removed' || (known !== undefined && known >= (version ?? 0))) continue
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
