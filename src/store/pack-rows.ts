import type { CollectionState, Segment } from './collection-state.ts'
import type { FactTable } from './facts.ts'
import type { IdOrder } from './id-order.ts'
import { type PackFacts, unknownFacts } from './pack-facts.ts'
import type { Packed, WrittenLine } from './packed.ts'

/**
 * The lines of existing records that a new pack of a segment can have, in the order of their ids. Its range of ids must be
 * free of other packs, so records of another range stay loose. Those of the old pack are in one range, and must be in the
 * new one, because they may not be in memory.
 *
 * The old pack must be out of `idIndex` already, or its range would not be free, and still be the segment's.
 */
export function rowsForPack(
  { state, entries, pack: old }: Segment,
  lines: readonly WrittenLine[],
): WrittenLine[] {
  const wasPacked = ({ id }: WrittenLine): boolean => old !== null && old.find(id) >= 0
  const existing = lines.filter((line) => {
    const entry = state.byId.get(line.id)
    return (entry !== undefined && entries.has(entry)) || wasPacked(line)
  })
  existing.sort((a, b) => (a.id < b.id ? -1 : 1))
  const packed = existing.filter(wasPacked)
  const gap = firstGap(state, packed.length > 0 ? packed : existing)
  if (!gap) return []
  const { after, before } = gap
  return existing.filter(({ id }) => (after === null || id > after) && (before === null || id < before))
}

/** The gap between packs of the first line that is in one; null if all are in the ranges of packs. */
function firstGap({ idIndex }: CollectionState, lines: readonly WrittenLine[]): ReturnType<IdOrder['gapAt']> {
  for (const { id } of lines) {
    const gap = idIndex.gapAt(id)
    if (gap) return gap
  }
  return null
}

/** The facts for a new pack: from the pack that it replaces, or else from the records in memory. */
export function factsForPack(
  table: FactTable,
  lines: readonly WrittenLine[],
  { byId }: CollectionState,
  old: Packed | null,
): PackFacts {
  const facts = unknownFacts(table, lines.length)
  for (const [row, { id }] of lines.entries()) {
    const oldRow = old === null ? -1 : old.find(id)
    facts.set(row, (oldRow >= 0 ? old?.facts?.get(oldRow) : byId.get(id)?.facts) ?? null)
  }
  return facts
}
