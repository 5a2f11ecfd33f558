import { LocalpostError } from '../core/errors.ts'
import type { CollectionState } from './collection-state.ts'
import type { Records } from './records.ts'
import type { RestingRecord } from './resting.ts'
import type { Row } from './sorted-index.ts'
import type { ByteRange, StoredRecord } from './store.ts'

/** A record from its text, a new copy each time. */
export function toRecord<T extends StoredRecord>(text: string): T {
  // The text was made from the caller's own T: the collection ties them together.
  return JSON.parse(text) as T
}

/** The text of a record if it is in memory; undefined if it has to be read; null if there is no such record. */
export function textInMemory(state: CollectionState, row: Row): string | undefined | null {
  const entry = state.byId.get(row.id)
  if (entry) return entry.text === '' ? undefined : entry.text
  return state.idIndex.locate(row.id) ? undefined : null
}

/**
 * The record with this id, or null.
 *
 * @throws store_corrupt when its line in a segment file is damaged.
 */
export async function readOne<T extends StoredRecord>(
  records: Records,
  state: CollectionState,
  id: string,
): Promise<T | null> {
  for (;;) {
    const text = textInMemory(state, { id })
    if (text === null) return null
    if (text !== undefined) return toRecord(text)
    const read = await readResting(records, state, id)
    if (read) return toRecord(read.text)
  }
}

/** A resting record; null if it no longer rests. @throws store_corrupt. */
export async function readResting(
  records: Records,
  state: CollectionState,
  id: string,
): Promise<RestingRecord | null> {
  const [read = null] = await records.resting.read(state, [id])
  if (read instanceof LocalpostError) throw read
  return read
}

/**
 * The texts of rows, in their order; null for a record that no longer exists. A damaged record is null too: it is
 * reported, and must not make the others unreadable.
 */
export async function readTexts(
  records: Records,
  state: CollectionState,
  rows: readonly Row[],
): Promise<(string | null)[]> {
  const texts = rows.map((row) => textInMemory(state, row))
  const resting = [...texts.keys()].filter((i) => texts[i] === undefined)
  const read = await records.resting.read(
    state,
    resting.map((i) => rows[i]?.id ?? ''),
  )
  for (const [at, i] of resting.entries()) {
    const record = read[at]
    if (record instanceof LocalpostError) records.resting.onDamaged(record)
    const row = rows[i]
    // A commit may have put it back into memory, and changed it.
    const now = row && textInMemory(state, row)
    texts[i] = now ?? (record && !(record instanceof LocalpostError) ? record.text : null)
  }
  return texts.map((text) => text ?? null)
}

/** The part of a range that lies within `size` bytes; without a range, all of them. */
export function clamp(range: ByteRange | undefined, size: number): { start: number; end: number } {
  const start = Math.min(Math.max(range?.start ?? 0, 0), size)
  return { start, end: Math.max(start, Math.min(range?.end ?? size, size)) }
}
