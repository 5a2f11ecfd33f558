import { createPacer } from '../core/slices.ts'
import type { CollectionState } from './collection-state.ts'
import type { IdRun } from './id-order.ts'
import { countValues } from './pack-facts.ts'
import type { RowSpan } from './sorted-index.ts'

/**
 * How many records have each value of their flags, or each code of a text. Packs remember their numbers, so that only
 * the records in memory are counted again. Other work runs in between.
 *
 * @param span  The positions to look at.
 * @param text  The place of the text among those of the collection's facts; null for the flags.
 * @returns null if the facts of some record are not known yet, or if a commit moved records meanwhile: then they are counted
 *   in a way that goes on after the last one. To begin again might not end while mail arrives.
 */
export async function histogramOf(
  { facts: table, idIndex }: CollectionState,
  span: () => RowSpan,
  text: number | null,
): Promise<Map<number, number> | null> {
  if (!table) return null
  const slot = text === null ? 0 : 1 + table.numbers + text
  const pacer = createPacer(1)
  const { revision } = idIndex
  const { start, end } = span()
  const counts = new Map<number, number>()
  for (const run of shortRuns(idIndex.runs(start, end))) {
    const found = countRun(run, text, slot)
    if (found === null) return null
    for (const [value, times] of found) counts.set(value, (counts.get(value) ?? 0) + times)
    if (!pacer.due()) continue
    await pacer.turn()
    if (idIndex.revision !== revision) return null
  }
  return counts
}

/** Divides long runs. Those of packs are short. */
function* shortRuns(runs: Iterable<IdRun>): Generator<IdRun> {
  for (const run of runs) {
    if (!('entries' in run)) yield run
    else
      for (let at = 0; at < run.entries.length; at += entriesAtOnce)
        yield { entries: run.entries.slice(at, at + entriesAtOnce) }
  }
}

const entriesAtOnce = 4096

function countRun(run: IdRun, text: number | null, slot: number): ReadonlyMap<number, number> | null {
  if ('entries' in run) {
    const { entries } = run
    if (entries.some(({ facts }) => facts === null)) return null
    return countValues(Uint32Array.from(entries, ({ facts }) => facts?.[slot] ?? 0))
  }
  const { pack, from, to } = run
  const { facts } = pack
  if (!facts?.isComplete) return null
  const isWhole = from === 0 && to === pack.count && pack.live === pack.count
  if (isWhole) return facts.counts(text)
  return countValues(facts.valuesOf(text).filter((_, row) => row >= from && row < to && pack.has(row)))
}
