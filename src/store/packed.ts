import { firstWhere } from '../core/first-where.ts'
import type { PackFacts } from './pack-facts.ts'
import type { BlobUsage } from './blob-usage.ts'

/** The segment of a pack: the members that readers of its file need. */
interface PackedSegment {
  readonly number: number
  /** Set while the file is being replaced. */
  readonly replacing: Promise<void> | null
}

export interface WrittenLine {
  readonly id: string
  /** Where the line begins in the file, and its length without the comma, in bytes. */
  readonly at: number
  readonly length: number
}

/** The rows of a pack, in the order of their ids. */
export interface PackRows {
  readonly ids: Buffer
  /** Where each id ends in `ids`; null if all ids have the same length. */
  readonly idEnds: Uint32Array | null
  /** Start and length of each line. */
  readonly lines: Uint32Array
}

/** Distinguishes a segment file from other files, and from its own earlier and later states. */
export interface FileStamp {
  readonly size: number
  /** The checksum in its last line. */
  readonly crc: number
  readonly ino: number
  readonly mtimeMs: number
}

export interface PackedFile extends FileStamp {
  /** The space that the blobs of all its records use. */
  readonly usage: BlobUsage
  /** What its index for the start contains; null if there is no index. See `StartIndexes`. */
  index: 'all' | 'not all facts' | null
}

/** What a pack is made with beside its rows. */
interface PackDetails {
  /** The log files that the blobs of the records may be in. */
  readonly logs: ReadonlySet<number>
  readonly facts?: PackFacts | null
  /**
   * The space that the blobs of all rows use, removed ones too, in a pack that the start makes. Later ones are counted
   * commit by commit.
   */
  readonly usage?: BlobUsage | null
  /** Null if the file cannot have an index for the start: it has records that are not in this pack, or damaged lines. */
  readonly file?: PackedFile | null
}

/**
 * The places of the records of a segment in its file. Rows are in the order of their ids, on which `find` relies. It
 * has no object per record, which the garbage collector would visit again and again.
 */
export class Packed {
  readonly segment: PackedSegment
  readonly path: string
  /** Number of rows, including those of removed records. */
  readonly count: number
  /** How many of its records were in an index of the collection when they were taken out of memory; see `Resting.evict`. */
  keyed = 0
  /** The log files that the blobs of the records may be in. */
  readonly logs: ReadonlySet<number>
  /** Null in a collection without facts. */
  readonly facts: PackFacts | null
  #usage: BlobUsage | null
  #file: PackedFile | null
  readonly rows: PackRows
  readonly first: string
  readonly last: string
  readonly #idLength: number
  #live: number
  /** By row: 1 if its record was removed. `#live` is the number of the others. */
  #removed: Uint8Array | null = null
  /** The row that was found last; before the first one at the beginning. */
  #found = -1

  /** @param rows  At least one. */
  constructor(
    segment: PackedSegment,
    path: string,
    rows: PackRows,
    { logs, facts = null, usage = null, file = null }: PackDetails,
  ) {
    this.segment = segment
    this.path = path
    this.rows = rows
    this.facts = facts
    this.#usage = usage
    this.#file = file
    this.count = rows.lines.length / 2
    this.#live = this.count
    this.logs = logs
    this.#idLength = rows.ids.byteLength / this.count
    this.first = this.id(0)
    this.last = this.id(this.count - 1)
  }

  /** See {@link PackDetails}. Null also once the start has counted it. */
  get usage(): BlobUsage | null {
    return this.#usage
  }

  forgetUsage(): void {
    this.#usage = null
  }

  /** See {@link PackDetails}. Null also once the file was found to be changed. */
  get file(): PackedFile | null {
    return this.#file
  }

  forgetFile(): void {
    this.#file = null
  }

  /** The number of existing records. */
  get live(): number {
    return this.#live
  }

  id(row: number): string {
    const { ids, idEnds } = this.rows
    if (idEnds === null) return ids.toString('utf8', row * this.#idLength, (row + 1) * this.#idLength)
    return ids.toString('utf8', row === 0 ? 0 : idEnds[row - 1], idEnds[row])
  }

  /** Where the line of a row begins in the file, in bytes. */
  at(row: number): number {
    return this.rows.lines[2 * row] ?? 0
  }

  length(row: number): number {
    return this.rows.lines[2 * row + 1] ?? 0
  }

  /** The row of an existing record, or -1. */
  find(id: string): number {
    // Many records are mostly looked up in order, from the oldest or from the newest.
    const step = this.#isAt(this.#found + 1, id) ? 1 : this.#isAt(this.#found - 1, id) ? -1 : 0
    const row = step === 0 ? this.lowerBound(id) : this.#found + step
    if (step === 0 && !this.#isAt(row, id)) return -1
    this.#found = row
    return this.has(row) ? row : -1
  }

  #isAt(row: number, id: string): boolean {
    return row >= 0 && row < this.count && this.id(row) === id
  }

  /** The first row whose id is not before this one. */
  lowerBound(id: string): number {
    return firstWhere(this.count, (row) => this.id(row) >= id)
  }

  has(row: number): boolean {
    return this.#removed?.[row] !== 1
  }

  remove(row: number): void {
    this.#removed ??= new Uint8Array(this.count)
    if (this.#removed[row] === 1) return
    this.#removed[row] = 1
    this.#live--
  }

  removeAll(): void {
    this.#removed = new Uint8Array(this.count).fill(1)
    this.#live = 0
    this.keyed = 0
  }

  liveBefore(row: number): number {
    if (this.#removed === null) return row
    if (row === this.count) return this.live
    let live = 0
    for (let i = 0; i < row; i++) if (this.has(i)) live++
    return live
  }

  /** The row of the existing record at a position among the existing ones. */
  rowAt(position: number): number {
    if (this.#removed === null) return position
    let left = position
    for (let row = 0; row < this.count; row++) if (this.has(row) && left-- === 0) return row
    return this.count
  }
}

/** @param lines  At least one, in the order of their ids. */
export function packRows(lines: readonly WrittenLine[]): PackRows {
  const places = new Uint32Array(2 * lines.length)
  const ends = new Uint32Array(lines.length)
  // One string is encoded in much less time than a thousand short ones.
  const text = lines.map(({ id }) => id).join('')
  const ids = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  ids.write(text)
  const isAscii = ids.byteLength === text.length
  let row = 0
  let end = 0
  for (const { id, at, length } of lines) {
    places[2 * row] = at
    places[2 * row + 1] = length
    ends[row++] = end += isAscii ? id.length : Buffer.byteLength(id)
  }
  const idLength = ends[0] ?? 0
  const isRegular = ends.every((at, row) => at === (row + 1) * idLength)
  return { ids, idEnds: isRegular ? null : ends, lines: places }
}
