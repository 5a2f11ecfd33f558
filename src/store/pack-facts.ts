import { firstWhere } from '../core/first-where.ts'
import type { FactRow, FactTable } from './facts.ts'

export interface FactColumns {
  /** Flags, with {@link unknownFlags} for a row whose facts are not known. */
  readonly flags: Uint32Array
  readonly numbers: (Uint32Array | Float64Array)[]
  /** Codes of the `FactTable`. */
  readonly codes: readonly Uint16Array[]
}

/** The facts of the records of a pack, in columns. Rows begin unknown. */
export class PackFacts {
  readonly columns: FactColumns
  /** By column, until a row is set. */
  readonly #countsByColumn: Map<number | 'flags', ReadonlyMap<number, number>> = new Map()

  constructor(columns: FactColumns) {
    this.columns = columns
  }

  get isComplete(): boolean {
    return !this.columns.flags.includes(unknownFlags)
  }

  set(row: number, facts: FactRow | null): void {
    this.#countsByColumn.clear()
    this.columns.flags[row] = facts?.[0] ?? unknownFlags
    if (facts === null) return
    let at = 1
    const { numbers, codes } = this.columns
    for (const [slot, column] of numbers.entries()) {
      const value = facts[at++] ?? 0
      const isSmall = column instanceof Float64Array || value >>> 0 === value
      const fitting = isSmall ? column : (numbers[slot] = Float64Array.from(column))
      fitting[row] = value
    }
    for (const column of codes) column[row] = facts[at++] ?? 0
  }

  /** Reads a row. @returns False if its facts are not known. */
  read(row: number, into: number[]): boolean {
    const flags = this.columns.flags[row] ?? unknownFlags
    if (flags === unknownFlags) return false
    into[0] = flags
    let at = 1
    for (const column of this.columns.numbers) into[at++] = column[row] ?? 0
    for (const column of this.columns.codes) into[at++] = column[row] ?? 0
    return true
  }

  /** The values of all rows in a column: the flags, or the codes of the text at a place. */
  valuesOf(column: number | 'flags'): Uint32Array | Uint16Array {
    return (column === 'flags' ? this.columns.flags : this.columns.codes[column]) ?? new Uint32Array()
  }

  counts(column: number | 'flags'): ReadonlyMap<number, number> {
    const counts = this.#countsByColumn.get(column) ?? countValues(this.valuesOf(column).slice())
    this.#countsByColumn.set(column, counts)
    return counts
  }

  /** The facts of a row; null if they are not known. */
  get(row: number): FactRow | null {
    const facts: number[] = []
    return this.read(row, facts) ? facts : null
  }
}

/** How often each value occurs. @param values  Are sorted here: before a loop is compiled, it takes ten times as long. */
export function countValues(values: Uint32Array | Uint16Array): ReadonlyMap<number, number> {
  values.sort()
  const counts = new Map<number, number>()
  for (let end = values.length; end > 0;) {
    const value = values[end - 1] ?? 0
    const start = firstWhere(end, (at) => (values[at] ?? 0) >= value)
    counts.set(value, end - start)
    end = start
  }
  return counts
}

/** Columns for so many records, none of whose facts are known. */
export function unknownFacts(table: FactTable, count: number): PackFacts {
  return new PackFacts({
    flags: new Uint32Array(count).fill(unknownFlags),
    numbers: Array.from({ length: table.numbers }, () => new Uint32Array(count)),
    codes: Array.from({ length: table.texts }, () => new Uint16Array(count)),
  })
}

const unknownFlags = 0xffffffff
