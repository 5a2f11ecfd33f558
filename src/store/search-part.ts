import type { FactRow } from './facts.ts'
import type { IdOrder, IdRun } from './id-order.ts'
import { misuse } from './io-errors.ts'
import type { Row, RowSpan } from './sorted-index.ts'

/** Successive records in the direction of a search, at places from 0; without a record where one of a pack was removed. */
export interface SearchPart {
  readonly length: number
  exists(at: number): boolean
  row(at: number): Row
  /** null if they are not known. The array is valid until the next call. */
  facts(at: number): FactRow | null
  /** Notes the facts of a record that were not known. */
  learn(at: number, facts: FactRow): void
}

/** Where to search. */
export interface SearchRange {
  readonly backwards: boolean
  /** The positions, which commits may move. */
  span(): RowSpan
  /** The only ids to look at; null for all. */
  readonly ids: readonly string[] | null
}

/** The records of a range, part by part. After a commit that moved positions, it looks up those after the last part again. */
export class SearchParts {
  readonly #order: IdOrder
  readonly #range: SearchRange
  /** What is left at `#revision` of the order; the next run is the last one. */
  #runs: IdRun[] = []
  #revision: number | null = null
  /** How many records of the next run are in earlier parts. */
  #passed = 0
  /** The id of the last record of all parts so far. */
  #last: string | null = null

  constructor(order: IdOrder, range: SearchRange) {
    this.#order = order
    this.#range = range
  }

  /** The next part; null at the end. @param most  How many records it has at most. */
  next(most: number): SearchPart | null {
    if (this.#order.revision !== this.#revision) this.#lookUp()
    const run = this.#runs.at(-1)
    if (!run) return null
    const { backwards } = this.#range
    const [from, to] = 'pack' in run ? [run.from, run.to] : [0, run.entries.length]
    const length = Math.min(most, to - from - this.#passed)
    const first = backwards ? to - 1 - this.#passed : from + this.#passed
    const part = searchPart(run, first, backwards ? -1 : 1, length)
    this.#passed += length
    if (this.#passed === to - from) {
      this.#runs.pop()
      this.#passed = 0
    }
    this.#last = part.row(length - 1).id
    return part
  }

  #lookUp(): void {
    const { backwards, span, ids } = this.#range
    let { start, end } = span()
    if (this.#last !== null && backwards) end = Math.min(end, this.#order.lowerBound([this.#last]))
    else if (this.#last !== null) start = Math.max(start, this.#order.upperBound([this.#last]))
    const runs = runsOf(this.#order, { start, end }, ids)
    this.#runs = backwards ? runs : runs.reverse()
    this.#revision = this.#order.revision
    this.#passed = 0
  }
}

function runsOf(order: IdOrder, { start, end }: RowSpan, ids: readonly string[] | null): IdRun[] {
  if (ids === null) return [...order.runs(start, end)]
  const runs: IdRun[] = []
  for (const id of [...new Set(ids)].sort()) {
    const position = order.find([id]) ? order.lowerBound([id]) : end
    if (position >= start && position < end) runs.push(...order.runs(position, position + 1))
  }
  return runs
}

function searchPart(run: IdRun, first: number, step: 1 | -1, length: number): SearchPart {
  if ('entries' in run) {
    const entry = (at: number): (typeof run.entries)[number] => {
      const found = run.entries[first + step * at]
      if (!found) throw misuse(`A part of a search has no record ${at}.`)
      return found
    }
    return {
      length,
      exists: () => true,
      row: entry,
      facts: (at) => entry(at).facts,
      learn: (at, facts) => void (entry(at).facts ??= facts),
    }
  }
  const { pack } = run
  const facts: number[] = []
  return {
    length,
    exists: (at) => pack.has(first + step * at),
    row: (at) => ({ id: pack.id(first + step * at) }),
    facts: (at) => (pack.facts?.read(first + step * at, facts) ? facts : null),
    learn(at, learned) {
      if (pack.facts?.get(first + step * at) === null) pack.facts.set(first + step * at, learned)
    },
  }
}
