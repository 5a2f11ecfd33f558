import { isRecord } from '../../core/members.ts'
import { applyFrame } from '../disk/entries.ts'
import type { Frame } from '../disk/frame.ts'
import type { Paths } from '../disk/paths.ts'
import type { BlobPlace } from '../entry.ts'
import { Records } from '../records.ts'

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
