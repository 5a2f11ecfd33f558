import type { CollectionState } from './collection-state.ts'
import { bitOf, countTexts, factAt, type FactRow, factsOf } from './facts.ts'
import { histogramOf } from './histogram.ts'
import { visitRecords } from './matching.ts'
import type { GroupQuery, RecordGroup } from './queries.ts'
import type { Records } from './records.ts'
import type { SearchPart } from './search-part.ts'
import type { StoredRecord } from './store.ts'

/** How many records have each of the texts of a fact; see `Store.tally`. */
export async function tallyTexts(
  records: Records,
  state: CollectionState,
  name: string,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const { facts } = state.collection
  const at = factAt(facts?.texts, name)
  const known = await histogramOf(state, state.idIndex.span(), at)
  if (known && [...known.keys()].every((code) => state.facts?.textsOf(at, code))) {
    for (const [code, times] of known) countTexts(state.facts?.textsOf(at, code) ?? [], counts, times)
    return counts
  }
  const slot = state.facts?.textSlot(at) ?? 0
  await visitRecords(
    records,
    state,
    (row) => {
      const texts = state.facts?.textsOf(at, row[slot] ?? 0) ?? null
      if (texts === null) return 'not enough'
      countTexts(texts, counts)
      return 'enough'
    },
    (record) => countTexts((facts && factsOf(facts, record)?.texts[at]) ?? [], counts),
  )
  return counts
}

/** Groups records by one of their texts; see `Store.groups`. */
export async function groupRecords(
  records: Records,
  state: CollectionState,
  query: GroupQuery,
): Promise<RecordGroup[]> {
  const { facts } = state.collection
  const at = factAt(facts?.texts, query.text)
  if (!facts) return []
  const groups = new Groups(query.counted.length)
  const bit = bitOf(facts, query.flag)
  const bits = query.counted.map((name) => bitOf(facts, name))
  const textOfCode: (string | null | undefined)[] = []
  const slot = state.facts?.textSlot(at) ?? 0

  const visitFacts = (row: FactRow, part: SearchPart, place: number): 'enough' | 'not enough' => {
    const [flags = 0] = row
    if ((flags & bit) === 0) return 'enough'
    const code = row[slot] ?? 0
    let text = textOfCode[code]
    if (text === undefined) {
      const texts = state.facts?.textsOf(at, code) ?? null
      if (texts === null) return 'not enough'
      text = textOfCode[code] = groupOf(texts, query)
    }
    if (text === null) return 'enough'
    const group = groups.of(text)
    group.count(flags, bits)
    // The facts of records are visited in the order of their ids.
    if (group.first === '') group.meet(part.row(place).id)
    return 'enough'
  }
  await visitRecords(records, state, visitFacts, (record) => {
    const values = factsOf(facts, record)
    const text = values && (values.flags & bit) !== 0 ? groupOf(values.texts[at] ?? [], query) : null
    if (!values || text === null) return
    const group = groups.of(text)
    group.count(values.flags, bits)
    group.meet((record as StoredRecord).id)
  })
  return groups.all()
}

/** The group of a record with these texts; null if it is in none. */
export function groupOf(texts: readonly string[], { prefix }: Pick<GroupQuery, 'prefix'>): string | null {
  return texts.find((text) => text.startsWith(prefix)) ?? null
}

export class Groups {
  readonly #groups: Map<string, Group> = new Map()
  readonly #flags: number

  /** @param flags  How many flags are counted in each group. */
  constructor(flags: number) {
    this.#flags = flags
  }

  of(text: string): Group {
    const known = this.#groups.get(text)
    if (known) return known
    const group = new Group(text, this.#flags)
    this.#groups.set(text, group)
    return group
  }

  /** In the order of their first records. */
  all(): RecordGroup[] {
    return [...this.#groups.values()]
      .map(({ text, first, records, flagged }) => ({ text, first, count: records, flagged }))
      .sort((a, b) => (a.first < b.first ? -1 : 1))
  }
}

class Group {
  readonly text: string
  readonly flagged: number[]
  /** The smallest id of its records; `''` until it has one. */
  first = ''
  records = 0

  constructor(text: string, flags: number) {
    this.text = text
    this.flagged = Array<number>(flags).fill(0)
  }

  count(flags: number, bits: readonly number[]): void {
    this.records++
    for (const [at, bit] of bits.entries()) if ((flags & bit) !== 0) this.#addTo(at, 1)
  }

  /** @param counts  How many records there are, then how many have each of the counted flags. */
  add([records = 0, ...flagged]: readonly number[]): void {
    this.records += records
    for (const [at, count] of flagged.entries()) this.#addTo(at, count)
  }

  meet(id: string): void {
    if (this.first === '' || id < this.first) this.first = id
  }

  #addTo(at: number, count: number): void {
    this.flagged[at] = (this.flagged[at] ?? 0) + count
  }
}
