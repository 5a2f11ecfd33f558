import { Readable } from 'node:stream'
import { createBudget } from '../../core/byte-budget.ts'
import { HeldBlobWriter } from '../blob-writer.ts'
import { eachNew, type BlobPlace } from '../entry.ts'
import { misuse } from '../io-errors.ts'
import type { Medium } from '../medium.ts'
import { createStore } from '../engine.ts'
import type { RestorableStore } from '../restore.ts'
import type { Collection, StoredRecord } from '../store.ts'
import { endLoading } from '../loading.ts'

export interface MemoryStoreOptions {
  /** Every collection that will be used. */
  readonly collections: readonly Collection<StoredRecord>[]
  /** How many bytes may wait to be stored before new records are refused. Default: 64 MiB. */
  readonly pendingBytes?: number
}

/**
 * Opens a store in memory: the same code, but no files. Closing it drops everything.
 *
 * @example
 * const store = await openMemoryStore({ collections: [emailCollection] })
 */
export function openMemoryStore(options: MemoryStoreOptions): Promise<RestorableStore> {
  return createStore(options.collections, createMemoryMedium(), options.pendingBytes)
}

/** A medium of bytes in memory: nothing outlives the store, and no file is made. */
function createMemoryMedium(): Medium {
  let dirty: Set<unknown> = new Set()
  let used = 0
  return {
    async load(records) {
      dirty = records.dirty
      endLoading(records, 'memory')
      return 0
    },
    start() {},
    createBlob(id) {
      // Nothing is ever too large to be held, so no spool is asked for.
      return new HeldBlobWriter(id, Number.POSITIVE_INFINITY, createBudget(Number.POSITIVE_INFINITY), () =>
        Promise.reject(misuse('Memory has no spool.')),
      )
    },
    take(blob, { owner, name }) {
      return { taken: { owner, name, size: blob.size, content: blob.parts ?? [] }, undo() {} }
    },
    placeHeld(bytes, size) {
      const [first] = bytes
      return { bytes: bytes.length === 1 && first ? first : Buffer.concat(bytes), size }
    },
    clear: () => undefined,
    assertRoom() {},
    refusal: () => null,
    usedBytes: () => used,
    lowDisk: async () => null,
    async write() {},
    // There are no files to write.
    applied: () => dirty.clear(),
    hold: (places, without) => eachNew(places, without, ({ size }) => (used += size)),
    release: (places, without) => eachNew(places, without, ({ size }) => (used -= size)),
    async read(place, start, end) {
      // The reader's own copy: what is stored must not change under others.
      return Buffer.from(bytesOf(place).subarray(start, end))
    },
    async open(place, start, end) {
      return Readable.from(piecesOf(bytesOf(place), start, end), { objectMode: false })
    },
    async close() {},
  }
}

// The reader's own copies, made as it reads: one that reads nothing holds little.
function* piecesOf(bytes: Uint8Array, start: number, end: number): Generator<Buffer> {
  for (let at = start; at < end; at += pieceLength)
    yield Buffer.from(bytes.subarray(at, Math.min(at + pieceLength, end)))
}

const pieceLength = 64 * 1024

function bytesOf(place: BlobPlace): Uint8Array {
  if ('bytes' in place) return place.bytes
  throw misuse('A store in memory has no files.')
}
