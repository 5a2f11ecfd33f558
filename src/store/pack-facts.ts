import type { FactRow, FactTable } from './facts.ts'

/** The columns of {@link PackFacts}. */
export interface FactColumns {
  /** Flags, with {@link unknown} for a row whose facts are not known. */
  readonly flags: Uint32Array
  readonly numbers: (Uint32Array | Float64Array)[]
  /** Codes of the `FactTable`. */
  readonly codes: readonly Uint16Array[]
}

/** The facts of the records of a pack, in columns. Rows begin unknown. */
export class PackFacts {
  readonly columns: FactColumns

  constructor(columns: FactColumns) {
    this.columns = columns
  }

  /** Whether the facts of every row are known. */
  get isComplete(): boolean {
    return !this.columns.flags.includes(unknown)
  }

  /** @param facts  null if they are not known. */
  set(row: number, facts: FactRow | null): void {
    this.columns.flags[row] = facts?.[0] ?? unknown
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
    const flags = this.columns.flags[row] ?? unknown
    if (flags === unknown) return false
    into[0] = flags
    let at = 1
    for (const column of this.columns.numbers) into[at++] = column[row] ?? 0
    for (const column of this.columns.codes) into[at++] = column[row] ?? 0
    return true
  }

  /** The facts of a row; null if they are not known. */
  get(row: number): FactRow | null {
    const facts: number[] = []
    return this.read(row, facts) ? facts : null
  }
}

/** Columns for so many records, none of whose facts are known. */
export function unknownFacts(table: FactTable, count: number): PackFacts {
  return new PackFacts({
    flags: new Uint32Array(count).fill(unknown),
    numbers: Array.from({ length: table.numbers }, () => new Uint32Array(count)),
    codes: Array.from({ length: table.texts }, () => new Uint16Array(count)),
  })
}

const unknown = 0xffffffff
