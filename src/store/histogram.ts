import { createPacer } from '../core/slices.ts'
import type { CollectionState } from './collection-state.ts'
import type { FactTable } from './facts.ts'
import type { IdRun } from './id-order.ts'
import { countValues } from './pack-facts.ts'
import type { Packed } from './packed.ts'
import type { RowSpan } from './sorted-index.ts'

/**
 * How many records have each value of their flags, or each code of a text. Packs remember their numbers, so that only
 * the records in memory are counted again. Other work runs in between.
 *
 * @param span  The positions to look at, as they are now.
 * @param column  The flags, or the place of a text among those of the collection's facts.
 * @returns null if the facts of some record are not known yet, or if a commit moved records meanwhile. The caller then
 *   reads record by record and continues after the last one. Starting over might never end while mail arrives.
 */
export async function histogramOf(
  { facts: table, idIndex }: CollectionState,
  { start, end }: RowSpan,
  column: number | 'flags',
): Promise<Map<number, number> | null> {
  if (!table) return null
  const pacer = createPacer()
  const { revision } = idIndex
  const counts = new Map<number, number>()
  for (const found of valuesIn(idIndex.runs(start, end), table, column)) {
    if (found === null) return null
    const [value, times] = found
    counts.set(value, (counts.get(value) ?? 0) + times)
    if (!pacer.due()) continue
    await pacer.turn()
    if (idIndex.revision !== revision) return null
  }
  return counts
}

/** The values of records, and how many records have each; null for records whose facts are not known. */
function* valuesIn(
  runs: Iterable<IdRun>,
  table: FactTable,
  column: number | 'flags',
): Generator<readonly [value: number, times: number] | null> {
  const slot = table.slotOf(column)
  for (const run of runs) {
    if ('pack' in run) yield* countRows(run, column) ?? [null]
    else for (const { facts } of run.entries) yield facts && [facts[slot] ?? 0, 1]
  }
}

/** How many of these rows have each value; null if the facts of some are not known. */
function countRows(
  { pack, from, to }: Extract<IdRun, { pack: Packed }>,
  column: number | 'flags',
): ReadonlyMap<number, number> | null {
  const { facts } = pack
  if (!facts?.isComplete) return null
  const isWhole = from === 0 && to === pack.count && pack.live === pack.count
  if (isWhole) return facts.counts(column)
  return countValues(facts.valuesOf(column).filter((_, row) => row >= from && row < to && pack.has(row)))
}
