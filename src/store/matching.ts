import { firstWhere } from '../core/first-where.ts'
import { createPacer } from '../core/slices.ts'
import type { CollectionState } from './collection-state.ts'
import { no, unsure, yes, type Ternary } from './fact-conditions.ts'
import type { FactRow } from './facts.ts'
import { readTexts, textInMemory, toRecord } from './read-records.ts'
import type { Records } from './records.ts'
import { type SearchPart, SearchParts, type SearchRange } from './search-part.ts'
import type { Row } from './sorted-index.ts'
import type { Where } from './queries.ts'
import type { StoredRecord } from './store.ts'
import type { Condition } from './where.ts'

export interface MatchingPart {
  readonly count: number
  /** The rows from a position on, in order. Call it only before the next part is asked for. */
  rows(from: number, most: number): Row[]
}

interface FactSearch {
  /** @param at  The place of the record in the part. */
  judge(facts: FactRow, part: SearchPart, at: number): Ternary
  /** For the records whose facts are not enough. It also accepts those of `also`. */
  readonly condition: Condition
  /** Where to search. Default: all, in the order of their ids. */
  readonly range?: SearchRange
  /** Ids of records that match too, in their order. Default: none. */
  readonly also?: readonly string[]
}

// In records: the first part, the largest one, and those whose texts are in memory at the same time.
const fewest = 128
const largestSpan = 4096
const readAtOnce = 128

/**
 * Finds records in the order of their ids, and reads those that facts do not decide. Commits run in between: it goes on
 * after the last one judged.
 */
export async function* findMatches(
  records: Records,
  state: CollectionState,
  search: FactSearch,
): AsyncGenerator<MatchingPart> {
  const { idIndex } = state
  const { condition, range = { backwards: false, span: () => idIndex.span(), ids: null }, also = [] } = search
  const parts = new SearchParts(idIndex, range)
  const pacer = createPacer()
  // Few at first, because a page needs only few.
  let size = fewest
  for (let part = parts.next(size); part; part = parts.next(size)) {
    const { verdicts, unsures } = judgeAll(part, search)
    for (const at of placesOf(also, part, range.backwards)) verdicts[at] = yes
    for (let from = 0; from < unsures.length; from += readAtOnce) {
      await decide(records, state, part, unsures.slice(from, from + readAtOnce), verdicts, condition)
      if (pacer.due()) await pacer.turn()
    }
    yield toMatches(part, verdicts)
    if (pacer.due()) await pacer.turn()
    size = Math.min(2 * size, largestSpan)
  }
}

/**
 * Visits every record once: its facts, or the record itself if `byFacts` says that they are not enough. Parts come in
 * the order of their ids; in a part, facts come first.
 */
export async function visitRecords(
  records: Records,
  state: CollectionState,
  byFacts: (facts: FactRow, part: SearchPart, at: number) => 'enough' | 'not enough',
  byRecord: (record: object) => void,
): Promise<void> {
  const judge: FactSearch['judge'] = (...given) => (byFacts(...given) === 'enough' ? no : unsure)
  const condition = (record: object): boolean => {
    byRecord(record)
    return false
  }
  for await (const _ of findMatches(records, state, { judge, condition }));
}

/** The only ids that can match a condition; null if it does not limit them. */
export function idsIn(where: Where): readonly string[] | null {
  if ('all' in where) return where.all.map(idsIn).find((ids) => ids !== null) ?? null
  if ('any' in where) {
    const parts = where.any.map(idsIn)
    return parts.includes(null) ? null : parts.flatMap((ids) => ids ?? [])
  }
  if (!('member' in where) || where.member !== 'id' || !('equals' in where)) return null
  return typeof where.equals === 'string' ? [where.equals] : []
}

function judgeAll(
  part: SearchPart,
  { judge }: Pick<FactSearch, 'judge'>,
): { verdicts: Uint8Array; unsures: number[] } {
  const verdicts = new Uint8Array(part.length)
  const unsures: number[] = []
  for (let at = 0; at < part.length; at++) {
    if (!part.exists(at)) continue
    const facts = part.facts(at)
    const verdict = facts === null ? unsure : judge(facts, part, at)
    verdicts[at] = verdict
    if (verdict === unsure) unsures.push(at)
  }
  return { verdicts, unsures }
}

/** Where the records with these ids, which are in their order, are in a part. */
function* placesOf(ids: readonly string[], part: SearchPart, backwards: boolean): Generator<number> {
  const idAt = (at: number): string => part.row(at).id
  const [first, last] = backwards ? [part.length - 1, 0] : [0, part.length - 1]
  if (ids.length === 0 || (ids.at(-1) ?? '') < idAt(first) || (ids[0] ?? '') > idAt(last)) return
  for (let next = firstWhere(ids.length, (at) => (ids[at] ?? '') >= idAt(first)); next < ids.length; next++) {
    const id = ids[next] ?? ''
    if (id > idAt(last)) return
    const at = firstWhere(part.length, (place) => (backwards ? idAt(place) <= id : idAt(place) >= id))
    if (at < part.length && idAt(at) === id && part.exists(at)) yield at
  }
}

/** Decides by the records themselves, so that no verdict stays `unsure`, and notes facts that were not known. */
async function decide(
  records: Records,
  state: CollectionState,
  part: SearchPart,
  places: readonly number[],
  verdicts: Uint8Array,
  condition: Condition,
): Promise<void> {
  const rows = places.map((at) => part.row(at))
  const texts = await readTexts(records, state, rows)
  for (const [i, at] of places.entries()) {
    const row = rows[i]
    // A commit may have changed it since.
    const text = (row && textInMemory(state, row)) ?? texts[i]
    verdicts[at] = no
    if (!text) continue
    const record = toRecord<StoredRecord>(text)
    if (condition(record)) verdicts[at] = yes
    const facts = part.facts(at) === null ? state.factsOf(record) : null
    if (facts) part.learn(at, facts)
  }
}

function toMatches(part: SearchPart, verdicts: Uint8Array): MatchingPart {
  let count = 0
  for (const verdict of verdicts) if (verdict === yes) count++
  return {
    count,
    rows(from, most) {
      const rows: Row[] = []
      let left = from
      for (let at = 0; at < verdicts.length && rows.length < most; at++) {
        if (verdicts[at] !== yes) continue
        if (left > 0) left--
        else rows.push(part.row(at))
      }
      return rows
    },
  }
}
