import type { Entry } from './entry.ts'
import type { FactRow } from './facts.ts'
import type { IdOrder, IdRun } from './id-order.ts'
import { misuse } from './io-errors.ts'
import type { Packed } from './packed.ts'
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
  /** The revision of the order at which the runs were looked up. */
  #revision: number | null = null
  /** The runs after the current one, in the direction of the search. */
  #runs: Iterator<IdRun> = [].values()
  #current: RunCursor | null = null
  /** The id of the last record of all parts so far. */
  #last: string | null = null

  constructor(order: IdOrder, range: SearchRange) {
    this.#order = order
    this.#range = range
  }

  /** The next part; null at the end. @param most  How many records it has at most. */
  next(most: number): SearchPart | null {
    if (this.#order.revision !== this.#revision) this.#lookUp()
    if (!this.#current?.left) {
      const run = this.#runs.next()
      if (run.done) return null
      this.#current = new RunCursor(run.value, this.#range.backwards)
    }
    const part = this.#current.take(most)
    this.#last = part.row(part.length - 1).id
    return part
  }

  #lookUp(): void {
    const { backwards, ids } = this.#range
    let { start, end } = this.#range.span()
    if (this.#last !== null && backwards) end = Math.min(end, this.#order.lowerBound([this.#last]))
    else if (this.#last !== null) start = Math.max(start, this.#order.upperBound([this.#last]))
    const runs = runsOf(this.#order, { start, end }, ids)
    this.#runs = (backwards ? runs.reverse() : runs).values()
    this.#current = null
    this.#revision = this.#order.revision
  }
}

/** Divides a run into parts, from its beginning or backwards from its end. */
class RunCursor {
  readonly #run: IdRun
  readonly #step: 1 | -1
  /** Where the next part begins: a row of the pack, or a place in the entries. */
  #at: number
  /** How many records are in no part yet. */
  #left: number

  constructor(run: IdRun, backwards: boolean) {
    const [from, to] = 'pack' in run ? [run.from, run.to] : [0, run.entries.length]
    this.#run = run
    this.#step = backwards ? -1 : 1
    this.#at = backwards ? to - 1 : from
    this.#left = to - from
  }

  get left(): number {
    return this.#left
  }

  take(most: number): SearchPart {
    const place = { first: this.#at, step: this.#step, length: Math.min(most, this.#left) }
    this.#at += place.step * place.length
    this.#left -= place.length
    return 'pack' in this.#run ? packedPart(this.#run.pack, place) : loosePart(this.#run.entries, place)
  }
}

function runsOf(order: IdOrder, { start, end }: RowSpan, ids: readonly string[] | null): IdRun[] {
  if (ids === null) return [...order.runs(start, end)]
  const runs: IdRun[] = []
  for (const id of [...new Set(ids)].sort()) {
    if (!order.find([id])) continue
    const position = order.lowerBound([id])
    if (position >= start && position < end) runs.push(...order.runs(position, position + 1))
  }
  return runs
}

interface PartPlace {
  readonly first: number
  readonly step: 1 | -1
  readonly length: number
}

function loosePart(entries: readonly Entry[], { first, step, length }: PartPlace): SearchPart {
  const entry = (at: number): Entry => {
    const found = entries[first + step * at]
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

function packedPart(pack: Packed, { first, step, length }: PartPlace): SearchPart {
  // The array that `facts` returns, filled again by each call.
  const scratch: number[] = []
  return {
    length,
    exists: (at) => pack.has(first + step * at),
    row: (at) => ({ id: pack.id(first + step * at) }),
    facts: (at) => (pack.facts?.read(first + step * at, scratch) ? scratch : null),
    learn(at, learned) {
      if (pack.facts?.get(first + step * at) === null) pack.facts.set(first + step * at, learned)
    },
  }
}
