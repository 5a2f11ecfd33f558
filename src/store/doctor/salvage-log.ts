import { nextTurn } from '../../core/machine.ts'
import type { Checkpoint } from '../disk/checkpoint-text.ts'
import { applyFrame } from '../disk/entries.ts'
import { type Frame, partsOf } from '../disk/frame.ts'
import { numbersIn } from '../disk/paths.ts'
import type { Place } from '../entry.ts'
import { Records } from '../records.ts'
import { isRecord } from '../../core/members.ts'
import { messageOf } from './findings.ts'
import { readOr, type SalvageReading } from './salvage-read.ts'

/** The content of all complete commits in all log files, including those that the files of records contain. */
export interface History {
  /** The records that result from only the log. */
  readonly records: Records
  /** By collection and id, the last commit that changed or removed the record. */
  readonly last: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** By collection, the last commit that removed all records of it. */
  readonly cleared: ReadonlyMap<string, number>
  /** By `<record id>/<name>`, every place where the bytes of a blob are or were. */
  readonly places: ReadonlyMap<string, readonly Place[]>
  /** The numbers of the first and the last complete commit; 0 if there is none. */
  readonly first: number
  readonly end: number
  /** Whether a commit after `seq` and up to `until` is not in the log. */
  misses(seq: number, until: number): boolean
}

/** Reads every complete commit of every log file, and reports the lost commits that only the log had. */
export async function readHistory(reading: SalvageReading, checkpoint: Checkpoint | null): Promise<History> {
  const { files, paths, collections, lost } = reading
  const records = new Records(collections, { hold() {}, release() {} })
  const last = new Map<string, Map<string, number>>()
  const cleared = new Map<string, number>()
  const places = new Map<string, Place[]>()
  const runs: [number, number][] = []
  let end = 0

  function note(frame: Frame, log: number): void {
    const before = runs.at(-1)
    if (before && before[1] === frame.seq - 1) before[1] = frame.seq
    else runs.push([frame.seq, frame.seq])
    end = frame.seq
    try {
      applyFrame(paths, records, frame, log)
    } catch (error) {
      lost.push(messageOf(error))
    }
    for (const op of frame.ops) {
      if (!isRecord(op) || typeof op.in !== 'string') continue
      if (op.op === 'clear') {
        cleared.set(op.in, frame.seq)
        const ofCollection = last.get(op.in)
        for (const id of ofCollection?.keys() ?? []) ofCollection?.set(id, frame.seq)
        continue
      }
      const id = isRecord(op.record) ? op.record.id : op.id
      if (typeof id !== 'string') continue
      const ofCollection = last.get(op.in) ?? new Map<string, number>()
      last.set(op.in, ofCollection.set(id, frame.seq))
      const entry = records.collections.used(op.in)?.byId.get(id)
      for (const [name, place] of Object.entries(entry?.blobs ?? {})) {
        const known = places.get(`${id}/${name}`) ?? []
        places.set(`${id}/${name}`, known)
        if (!isSame(known.at(-1), place)) known.push(place)
      }
    }
  }

  const numbers = await numbersIn(files, paths.logs, '.log')
  /** The files of records contain everything before this position. */
  const { log: first, offset } = checkpoint ?? { log: numbers[0] ?? 1, offset: 0 }
  const newest = Math.max(numbers.at(-1) ?? 0, offset > 0 ? first : 0)
  const present = new Set(numbers)
  /** Whether the gap before the next complete commit was already reported. */
  let isTold = false
  for (let log = first; checkpoint && log <= newest; log++)
    if (!present.has(log)) lost.push(`${paths.log(log)} is missing; the commits that only it had are lost.`)
  for (const log of numbers) {
    const path = paths.log(log)
    const lose = (what: string): void => {
      isTold ||= log >= first
      if (log >= first)
        lost.push(
          `${path} ${what}. Commits after number ${Math.max(end, checkpoint?.seq ?? 0)} that only it had are lost.`,
        )
    }
    const bytes = await readOr(reading, path, lose)
    if (log === first && bytes.byteLength < offset) lose(`ends at byte ${bytes.byteLength}`)
    for (const { at, end: next, frame } of partsOf(bytes, end)) {
      if (frame === null) {
        if (log > first || next > offset) lose(`is damaged from byte ${at} to byte ${next}`)
        continue
      }
      const before = Math.max(end, checkpoint?.seq ?? frame.seq)
      if (frame.seq > before + 1 && !isTold)
        lost.push(`Commits ${before + 1} to ${frame.seq - 1} are lost: no file of the log has them.`)
      isTold = false
      note(frame, log)
    }
    await nextTurn()
  }
  return {
    records,
    last,
    cleared,
    places,
    first: runs[0]?.[0] ?? 0,
    end,
    misses(seq, until) {
      if (seq >= until) return false
      const run = runs.find(([from, to]) => from <= seq + 1 && seq + 1 <= to)
      return run === undefined || run[1] < until
    },
  }
}

function isSame(one: Place | undefined, other: Place): boolean {
  return one !== undefined && JSON.stringify(one) === JSON.stringify(other)
}
