import type { FactRow, FactTable } from './facts.ts'

/** The facts of the records of a pack, in columns. Rows begin unknown. */
export class PackFacts {
  /** Flags, with {@link unknown} for a row whose facts are not known. */
  readonly #flags: Uint32Array
  readonly #numbers: (Uint32Array | Float64Array)[]
  readonly #codes: Uint16Array[]

  constructor(table: FactTable, count: number) {
    this.#flags = new Uint32Array(count).fill(unknown)
    this.#numbers = Array.from({ length: table.numbers }, () => new Uint32Array(count))
    const texts = table.width - 1 - table.numbers
    this.#codes = Array.from({ length: texts }, () => new Uint16Array(count))
  }

  /** @param facts  null if they are not known. */
  set(row: number, facts: FactRow | null): void {
    this.#flags[row] = facts?.[0] ?? unknown
    if (facts === null) return
    let at = 1
    for (const [slot, column] of this.#numbers.entries()) {
      const value = facts[at++] ?? 0
      const isSmall = column instanceof Float64Array || value >>> 0 === value
      const fitting = isSmall ? column : (this.#numbers[slot] = Float64Array.from(column))
      fitting[row] = value
    }
    for (const column of this.#codes) column[row] = facts[at++] ?? 0
  }

  /** Reads a row. @returns False if its facts are not known. */
  read(row: number, into: number[]): boolean {
    const flags = this.#flags[row] ?? unknown
    if (flags === unknown) return false
    into[0] = flags
    let at = 1
    for (const column of this.#numbers) into[at++] = column[row] ?? 0
    for (const column of this.#codes) into[at++] = column[row] ?? 0
    return true
  }

  /** The facts of a row; null if they are not known. */
  get(row: number): FactRow | null {
    const facts: number[] = []
    return this.read(row, facts) ? facts : null
  }
}

const unknown = 0xffffffff
