import type { CollectionState } from '../collection-state.ts'
import { Entry, type Place, type Places } from '../entry.ts'
import { isObject } from '../stored.ts'
import { largeNameForm } from './paths.ts'
import type { SnapshotLine } from './snapshot-data.ts'

/**
 * Makes an entry of what a file says.
 *
 * @param stored  The record, or its own JSON text where it is known to be `JSON.stringify`'s, or both.
 * @returns The entry, or null if this is no record.
 */
export function toEntry(
  state: CollectionState,
  segment: number,
  stored: { record?: unknown; blobs: unknown; text?: string | undefined },
): Entry | null {
  const record: unknown = stored.record ?? (stored.text === undefined ? undefined : JSON.parse(stored.text))
  if (!isObject(record)) return null
  const blobs = parsePlaces(stored.blobs)
  if (typeof record.id !== 'string' || typeof record.version !== 'number' || blobs === undefined) return null
  const text = stored.text ?? JSON.stringify(record)
  const facts = state.factsOf(record)
  return new Entry(record.id, segment, record.version, text, state.keysOf(record), blobs, facts)
}

/** The same of a line that says what is in its text; null if it does not. */
export function toKnownEntry(segment: number, line: SnapshotLine): Entry | null {
  const { id, version, keys, text } = line
  const blobs = parsePlaces(line.blobs)
  if (id === undefined || version === undefined || keys === undefined || blobs === undefined) return null
  return new Entry(id, segment, version, text, keys, blobs)
}

/** A record's blobs as stored, null if it has none, undefined if they cannot be read. */
export function parsePlaces(value: unknown): Places | null | undefined {
  if (value === undefined || value === null) return null
  if (!isObject(value)) return undefined
  const places: Record<string, Place> = {}
  for (const [name, place] of Object.entries(value)) {
    const parsed = parsePlace(place)
    if (!parsed) return undefined
    places[name] = parsed
  }
  return places
}

function parsePlace(value: unknown): Place | null {
  if (!isObject(value)) return null
  const { log = 0, at, large, size, crc } = value
  if (typeof size !== 'number' || typeof crc !== 'number') return null
  // What is read here becomes a path later.
  if (typeof large === 'string') return largeNameForm.test(large) ? { large, size, crc } : null
  return typeof log === 'number' && typeof at === 'number' ? { log, at, size, crc } : null
}
