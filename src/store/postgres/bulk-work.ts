import { forEachSlice } from '../../core/slices.ts'
import { type BulkWork, mostRemovals, mostUpdates } from '../bulk.ts'
import { toRecord } from '../read-records.ts'
import type { StoredRecord } from '../store.ts'
import type { Place, Reads } from './reads.ts'
import type { BulkChange } from './staging.ts'

/** Divides a bulk change into commits. */
export function bulkWork<T extends StoredRecord>(
  reads: Reads,
  place: Place,
  ids: readonly string[],
  change: ((record: T) => T) | 'remove',
): BulkWork<BulkChange> {
  const { table } = place
  let left = ids
  let stale: string[] = []
  let done = 0
  const most = change === 'remove' ? mostRemovals : mostUpdates

  function prepare(id: string, text: string | undefined): BulkChange | null {
    if (change === 'remove') return { table, id, version: 0, row: null }
    if (text === undefined) return null
    const record = toRecord<T>(text)
    const { version } = record
    const changed = change(record)
    if (changed === record) return null
    const next = { ...changed, id, version: version + 1 }
    return { table, id, version, row: table.rowOf(next, JSON.stringify(next)) }
  }

  return {
    async next() {
      if (left.length === 0) {
        left = stale
        stale = []
      }
      if (left.length === 0) return null
      const part = left.slice(0, most)
      left = left.slice(part.length)
      const texts = change === 'remove' ? new Map<string, string>() : await reads.texts(place, part)
      const changes: BulkChange[] = []
      let bytes = 0
      await forEachSlice(part, (id) => {
        const prepared = prepare(id, texts.get(id))
        if (prepared) changes.push(prepared)
        bytes += prepared?.row?.text.length ?? 0
      })
      done += part.length
      return { changes, bytes, done }
    },
    again(ids) {
      stale.push(...ids)
      done -= ids.length
    },
  }
}
