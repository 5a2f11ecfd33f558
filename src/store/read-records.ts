import { LocalpostError } from '../core/errors.ts'
import type { CollectionState } from './collection-state.ts'
import { type BlobPlace, type Places, samePlace } from './entry.ts'
import { type BlobId, splitBlobId } from './names.ts'
import type { Records } from './records.ts'
import type { RestingRecord } from './resting-reader.ts'
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

/** The record with this id, or null. @throws store_corrupt when its line in a segment file is damaged. */
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
async function readResting(
  records: Records,
  state: CollectionState,
  id: string,
): Promise<RestingRecord | null> {
  const [read = null] = await records.resting.reader.read(state, [id])
  if (read instanceof LocalpostError) throw read
  return read
}

/** The texts of rows, in order; null for a record that does not exist, or is damaged, which is reported and fails no other. */
export async function readTexts(
  records: Records,
  state: CollectionState,
  rows: readonly Row[],
): Promise<(string | null)[]> {
  const texts = rows.map((row) => textInMemory(state, row))
  const ids = rows.filter((_, at) => texts[at] === undefined).map(({ id }) => id)
  const read = await records.resting.reader.read(state, ids)
  const resting = new Map(ids.map((id, at) => [id, read[at] ?? null]))
  return rows.map((row, at) => {
    const text = texts[at]
    if (text !== undefined) return text
    const record = resting.get(row.id) ?? null
    const isDamaged = record instanceof LocalpostError
    if (isDamaged) records.resting.reportDamaged(record)
    // A commit may have put it back into memory, and changed it.
    return textInMemory(state, row) ?? (isDamaged ? null : (record?.text ?? null))
  })
}

/** The places of the blobs of a record; null if it has none. */
export async function readPlaces(
  records: Records,
  state: CollectionState,
  id: string,
): Promise<Places | null> {
  if (state.rests(id)) return (await readResting(records, state, id))?.blobs ?? null
  return state.byId.get(id)?.blobs ?? null
}

/** Where a blob of a partition is; null if it does not exist. */
export async function findBlob(records: Records, partition: string, id: BlobId): Promise<BlobPlace | null> {
  const { owner, name } = splitBlobId(id)
  for (const state of records.collections.statesOf(partition)) {
    const blobs = await readPlaces(records, state, owner)
    if (blobs && Object.hasOwn(blobs, name)) return blobs[name] ?? null
  }
  return null
}

/** Reads a blob at its place. It may move before its file is open, so a failed read tries the new place. */
export async function readBlobAt<T>(
  find: () => Promise<BlobPlace | null>,
  read: (place: BlobPlace) => Promise<T>,
): Promise<T | null> {
  for (let place = await find(); place !== null;) {
    try {
      return await read(place)
    } catch (error) {
      const now = await find()
      if (now && samePlace(now, place)) throw error
      place = now
    }
  }
  return null
}

/** The part of a range that lies within `size` bytes; without a range, all of them. */
export function clampRange(range: ByteRange | undefined, size: number): { start: number; end: number } {
  const start = Math.min(Math.max(range?.start ?? 0, 0), size)
  return { start, end: Math.max(start, Math.min(range?.end ?? size, size)) }
}
