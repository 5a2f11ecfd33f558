import { messageOf } from '../../core/errors.ts'
import { isRecord } from '../../core/members.ts'
import { nextTurn } from '../../core/machine.ts'
import type { Checkpoint } from '../disk/checkpoint-text.ts'
import { applyFrame } from '../disk/entries.ts'
import { type Frame, logParts } from '../disk/frame.ts'
import { numbersIn, type Paths } from '../disk/paths.ts'
import type { BlobPlace } from '../entry.ts'
import { Records } from '../records.ts'
import { readOrFault, type SalvageReading } from './salvage-read.ts'

/** Reads every complete commit of every log file, and reports the lost commits that only the log had. */
export async function readHistory(reading: SalvageReading, checkpoint: Checkpoint | null): Promise<History> {
  const { files, paths, collections, lost } = reading
  const history = new History(collections)
  const numbers = await numbersIn(files, paths.logs, '.log')
  /** The files of records contain everything before this position. */
  const { log: first, offset } = checkpoint ?? { log: numbers[0] ?? 1, offset: 0 }
  if (checkpoint) reportMissing(reading, checkpoint, numbers)
  const losses = createLossReport(lost, history, checkpoint)
  for (const log of numbers) {
    const path = paths.log(log)
    const lose = (what: string): void => {
      if (log >= first) losses.lose(`${path} ${what}`)
    }
    const read = await readOrFault(reading, path)
    if ('fault' in read) lose(read.fault)
    const bytes = 'fault' in read ? Buffer.alloc(0) : read.bytes
    if (log === first && bytes.byteLength < offset) lose(`ends at byte ${bytes.byteLength}`)
    for (const { at, end: next, frame } of logParts(bytes, history.end)) {
      if (frame === null) {
        if (log > first || next > offset) lose(`is damaged from byte ${at} to byte ${next}`)
        continue
      }
      losses.comeTo(frame.seq)
      try {
        history.note(frame, log, paths)
      } catch (error) {
        lost.push(messageOf(error))
      }
    }
    await nextTurn()
  }
  return history
}

/** Reports the files of the log that the commits after the checkpoint were in, or are followed by. */
function reportMissing({ paths, lost }: SalvageReading, { log, offset }: Checkpoint, logs: number[]): void {
  const newest = Math.max(logs.at(-1) ?? 0, offset > 0 ? log : 0)
  for (let number = log; number <= newest; number++)
    if (!logs.includes(number))
      lost.push(`${paths.log(number)} is missing; the commits that only it had are lost.`)
}

/** Reports what is lost between complete commits, each gap once. @param history  Gets each of these after `comeTo`. */
function createLossReport(lost: string[], history: History, checkpoint: Checkpoint | null) {
  /** Whether the gap before the next complete commit was already reported. */
  let isTold = false
  return {
    lose(what: string): void {
      isTold = true
      const last = Math.max(history.end, checkpoint?.seq ?? 0)
      lost.push(`${what}. Commits after number ${last} that only it had are lost.`)
    },
    comeTo(seq: number): void {
      // Without a checkpoint it is not known whether the files of records contain the commits before the first one.
      const before = Math.max(history.end, checkpoint?.seq ?? seq)
      if (seq > before + 1 && !isTold)
        lost.push(`Commits ${before + 1} to ${seq - 1} are lost: no file of the log has them.`)
      isTold = false
    },
  }
}

/** The content of all complete commits in all log files, including those that the files of records contain. */
export class History {
  /** The records that result from only the log. */
  readonly records: Records
  /** By collection and id, the last commit that changed or removed the record. */
  readonly last: Map<string, Map<string, number>> = new Map()
  /** By collection, the last commit that removed all records of it. */
  readonly cleared: Map<string, number> = new Map()
  /** By `<record id>/<name>`, every place where the bytes of a blob are or were. */
  readonly places: Map<string, BlobPlace[]> = new Map()
  /** The first and the last commit of each part of the log that lacks none. */
  readonly #runs: [number, number][] = []

  constructor(collections: ConstructorParameters<typeof Records>[0]) {
    this.records = new Records(collections, { hold() {}, release() {} })
  }

  /** The number of the first complete commit; 0 if there is none. */
  get first(): number {
    return this.#runs[0]?.[0] ?? 0
  }

  /** The number of the last complete commit; 0 if there is none. */
  get end(): number {
    return this.#runs.at(-1)?.[1] ?? 0
  }

  /** Whether a commit after `seq` and up to `until` is not in the log. */
  misses(seq: number, until: number): boolean {
    if (seq >= until) return false
    const run = this.#runs.find(([from, to]) => from <= seq + 1 && seq + 1 <= to)
    return run === undefined || run[1] < until
  }

  /** Adds the next commit. @throws store_corrupt if it cannot be applied; it is noted nevertheless. */
  note(frame: Frame, log: number, paths: Paths): void {
    const before = this.#runs.at(-1)
    if (before && before[1] === frame.seq - 1) before[1] = frame.seq
    else this.#runs.push([frame.seq, frame.seq])
    try {
      applyFrame(paths, this.records, frame, log)
    } finally {
      for (const op of frame.ops) this.#noteOp(op, frame.seq)
    }
  }

  #noteOp(op: unknown, seq: number): void {
    if (!isRecord(op) || typeof op.in !== 'string') return
    if (op.op === 'clear') {
      this.cleared.set(op.in, seq)
      const ofCollection = this.last.get(op.in)
      for (const id of ofCollection?.keys() ?? []) ofCollection?.set(id, seq)
      return
    }
    const id = isRecord(op.record) ? op.record.id : op.id
    if (typeof id !== 'string') return
    const ofCollection = this.last.get(op.in) ?? new Map<string, number>()
    this.last.set(op.in, ofCollection.set(id, seq))
    const entry = this.records.collections.used(op.in)?.byId.get(id)
    for (const [name, place] of Object.entries(entry?.blobs ?? {})) {
      const known = this.places.get(`${id}/${name}`) ?? []
      this.places.set(`${id}/${name}`, known)
      if (JSON.stringify(known.at(-1)) !== JSON.stringify(place)) known.push(place)
    }
  }
}
