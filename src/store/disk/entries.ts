import type { CollectionState } from '../collection-state.ts'
import { Entry, type BlobPlace, type Places } from '../entry.ts'
import { corrupt } from '../io-errors.ts'
import type { Records } from '../records.ts'
import { collectionNameForm } from '../names.ts'
import { isRecord } from '../../core/members.ts'
import type { Frame } from './frame.ts'
import { largeNameForm, type Paths } from './paths.ts'
import type { ParsedSnapshot, SnapshotLine } from './snapshot-text.ts'
import { forgetCollection, forgetRecord, loadRecord } from '../loading.ts'

/** Loads the records of a file into memory. @param segment  0 for `db.json`. */
export function fillRecords(records: Records, snapshot: ParsedSnapshot, segment: number, path: string): void {
  for (const [name, lines] of snapshot.sections) {
    const state = records.collections.stateOrUnknown(name, { large: segment > 0 })
    // The stored keys are valid only for the current indexes; otherwise they are computed again.
    const hasKeys = snapshot.indexes.get(name) === state.signature
    if (snapshot.edited || (segment > 0 && !hasKeys)) records.dirty.add(state.segment(segment))
    for (const [nth, line] of lines.entries()) {
      const entry = (hasKeys && toKnownEntry(segment, line)) || toEntry(state, segment, line)
      if (!entry) {
        const what = `entry ${nth + 1} of ${name} is not a record with an id and a version.`
        throw corrupt(path, what, 'Restore the whole folder from one copy, or correct the entry.')
      }
      loadRecord(records, state, entry)
    }
  }
}

/** Applies one frame of the log to the records. @param larges  Collects the files in `large` that it refers to. */
export function applyFrame(
  paths: Paths,
  records: Records,
  frame: Frame,
  log: number,
  larges?: Set<string>,
): void {
  for (const op of frame.ops) {
    if (!isRecord(op) || typeof op.in !== 'string' || !collectionNameForm.test(op.in))
      throw unknownOp(paths.log(log), frame)
    const { segment = 0 } = op
    if (typeof segment !== 'number') throw unknownOp(paths.log(log), frame)
    const state = records.collections.stateOrUnknown(op.in, { large: segment > 0 })
    if (op.op === 'remove' && typeof op.id === 'string') {
      forgetRecord(records, state, op.id)
      continue
    }
    if (op.op === 'clear') {
      forgetCollection(records, state)
      continue
    }
    const entry = op.op === 'put' ? toEntry(state, segment, { record: op.record, blobs: op.blobs }) : null
    if (!entry) throw unknownOp(paths.log(log), frame)
    for (const place of Object.values(entry.blobs ?? {})) {
      if ('large' in place) larges?.add(place.large)
      if (!('log' in place) || place.log !== 0) continue
      place.log = log
      place.at += frame.payloadAt
    }
    loadRecord(records, state, entry)
    records.dirty.add(state.segment(segment))
  }
}

function unknownOp(path: string, frame: Frame): Error {
  const what = `commit ${frame.seq}, whose first line ends at byte ${frame.payloadAt}, has a change that this version does not know.`
  const fix = 'Use the Localpost that wrote it, or restore the whole folder from one copy.'
  return corrupt(path, what, fix)
}

/** @param stored  The record, or its text as `JSON.stringify` writes it, or both. @returns null if it is no record. */
export function toEntry(
  state: CollectionState,
  segment: number,
  stored: { record?: unknown; blobs: unknown; text?: string | undefined },
): Entry | null {
  const record: unknown = stored.record ?? (stored.text === undefined ? undefined : JSON.parse(stored.text))
  if (!isRecord(record)) return null
  const blobs = parsePlaces(stored.blobs)
  if (typeof record.id !== 'string' || typeof record.version !== 'number' || blobs === undefined) return null
  const text = stored.text ?? JSON.stringify(record)
  const facts = state.factsOf(record)
  return new Entry(record.id, segment, record.version, text, state.keysOf(record), blobs, facts)
}

/** The same of a line that says what is in its text; null if it does not. */
function toKnownEntry(segment: number, line: SnapshotLine): Entry | null {
  const { id, version, keys, text } = line
  const blobs = parsePlaces(line.blobs)
  if (id === undefined || version === undefined || keys === undefined || blobs === undefined) return null
  return new Entry(id, segment, version, text, keys, blobs)
}

/** A record's blobs as stored, null if it has none, undefined if they cannot be read. */
export function parsePlaces(value: unknown): Places | null | undefined {
  if (value === undefined || value === null) return null
  if (!isRecord(value)) return undefined
  const places: Record<string, BlobPlace> = {}
  for (const [name, place] of Object.entries(value)) {
    const parsed = parsePlace(place)
    if (!parsed) return undefined
    places[name] = parsed
  }
  return places
}

function parsePlace(value: unknown): BlobPlace | null {
  if (!isRecord(value)) return null
  const { log = 0, at, large, size, crc } = value
  if (typeof size !== 'number' || typeof crc !== 'number') return null
  // What is read here becomes a path later.
  if (typeof large === 'string') return largeNameForm.test(large) ? { large, size, crc } : null
  return typeof log === 'number' && typeof at === 'number' ? { log, at, size, crc } : null
}
