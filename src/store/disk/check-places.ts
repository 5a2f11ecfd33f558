import { listed } from '../io-errors.ts'
import type { Places } from '../entry.ts'
import type { Packed } from '../packed.ts'
import type { Records } from '../records.ts'
import type { CheckpointDeps } from './checkpoint.ts'

/**
 * Checks that the bytes of every blob exist, and reports missing ones in a notice. It does not throw, because one lost
 * message must not prevent the start. Afterwards the sums of the packs are dropped.
 *
 * @param lengths  The length of each log file.
 * @returns The files in `large` that records refer to.
 */
export async function checkPlaces(
  { files, paths, onNotice }: CheckpointDeps,
  records: Records,
  lengths: ReadonlyMap<number, number>,
): Promise<Set<string>> {
  const large = new Set<string>()
  const lost: string[] = []
  const isLogThere = (log: number, end: number): boolean => (lengths.get(log) ?? -1) >= end
  const isLargeThere = async (name: string, size: number): Promise<boolean> => {
    large.add(name)
    return (await files.size(paths.large(name))) === size
  }

  async function check(id: string, blobs: Places | null): Promise<void> {
    for (const [name, place] of Object.entries(blobs ?? {})) {
      const isThere =
        'large' in place
          ? await isLargeThere(place.large, place.size)
          : !('log' in place) || place.size === 0 || isLogThere(place.log, place.at + place.size)
      if (!isThere) lost.push(`${id}/${name}`)
    }
  }

  /** Whether all blobs of a pack exist, as far as their sums show. */
  async function isWhole({ usage }: Packed): Promise<boolean> {
    let whole = true
    for (const [log, { end }] of usage?.logs ?? []) if (end > 0 && !isLogThere(log, end)) whole = false
    for (const [name, size] of usage?.large ?? []) if (!(await isLargeThere(name, size))) whole = false
    return whole
  }

  for (const state of records.collections.all()) {
    for (const { entries } of state.segments.values())
      for (const { id, blobs } of entries) await check(id, blobs)
    for (const pack of state.idIndex.packs) {
      if (!(await isWhole(pack))) {
        const rows = Array.from({ length: pack.count }, (_, row) => row).filter((row) => pack.has(row))
        const found = await records.resting.reader.readRows(pack, rows)
        for (const [i, row] of rows.entries()) await check(pack.id(row), found[i]?.blobs ?? null)
      }
      pack.forgetUsage()
    }
  }
  if (lost.length > 0)
    onNotice(
      `The bytes of ${lost.length} messages and contents are lost: ${listed(lost)}. Reading them fails with store_corrupt; \`localpost doctor\` lists them.`,
    )
  return large
}
