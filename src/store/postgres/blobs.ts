import { Readable } from 'node:stream'
import { LocalpostError } from '../../core/errors.ts'
import { asBuffer } from '../../core/own-buffers.ts'
import { type BlobId, type BlobName, splitBlobId } from '../names.ts'
import { misuse } from '../io-errors.ts'
import { clampRange } from '../read-records.ts'
import type { Blob, Store } from '../store.ts'
import type { Connection } from './connection.ts'
import { isStorable } from './storable-text.ts'
import { type LargeSpool, openLargeSpool, pieceBytes } from './large-spool.ts'
import type { Named } from '../texts.ts'
import type { Shard } from './table.ts'

/** Up to this many bytes, a blob is stored in one piece, beside its name. */
export const maxInlineBytes: number = 256 * 1024

/** A blob of a commit: its bytes, or the number of a large blob whose bytes were written before. */
export interface StagedBlob {
  readonly owner: string
  readonly name: string
  readonly size: number
  readonly bytes: Buffer | null
  readonly large: number | null
}

/** The blobs of a commit; a promise while large ones are being written. */
export type StagedBlobs = readonly StagedBlob[] | Promise<readonly StagedBlob[]>

export function areWritten(blobs: StagedBlobs): blobs is readonly StagedBlob[] {
  return Array.isArray(blobs)
}

/**
 * Message bytes: small blobs as a value, large ones as numbered pieces. Unused pieces stay for {@link keptMinutes}, so
 * that running reads can finish.
 */
export class Blobs {
  readonly #sql: Connection

  constructor(sql: Connection) {
    this.#sql = sql
  }

  /** The reads of blobs in a partition; see `Store`. @param shardOf  As for `createReads`. */
  reads(
    partition: string,
    shardOf: (collection: Named) => Shard,
    assertOpen: () => void,
  ): Pick<Store, 'openBlob' | 'readBlob' | 'blobSize' | 'blobNames'> {
    const all = 'size::float8 AS size, bytes, large::float8 AS large'
    const find = (id: BlobId, columns: string): Promise<BlobContent | null> => {
      assertOpen()
      return this.#find(partition, id, columns)
    }
    return {
      blobSize: async (id) => (await find(id, 'size::float8 AS size'))?.size ?? null,
      readBlob: async (id) => {
        const found = await find(id, all)
        if (!found) return null
        const { bytes, large, size } = found
        if (bytes) return bytes
        const pieces: Buffer[] = []
        for await (const piece of this.#pieces(id, large ?? 0, 0, size)) pieces.push(piece)
        return Buffer.concat(pieces)
      },
      openBlob: async (id, range) => {
        const found = await find(id, all)
        if (!found) return null
        const { bytes, large, size } = found
        const { start, end } = clampRange(range, size)
        if (bytes) return Readable.from(end > start ? [bytes.subarray(start, end)] : [], asBytes)
        return Readable.from(this.#pieces(id, large ?? 0, start, end), asBytes)
      },
      blobNames: async (collection, owner) => {
        const { table } = shardOf(collection)
        if (!isStorable(owner)) return []
        const rows = await this.#sql.run<{ name: string }>(
          `SELECT name FROM ${this.#sql.name('blobs')} WHERE partition = $1 AND owner = $2 AND collection = $3 ORDER BY name`,
          [partition, owner, table.name],
        )
        return rows.map(({ name }) => name)
      },
    }
  }

  /** What a commit stores for each of its blobs. Large blobs in memory are written now. */
  stage(named: readonly (BlobName & { readonly blob: Blob })[]): StagedBlobs {
    const ready: StagedBlob[] = []
    const writing: Promise<StagedBlob>[] = []
    for (const { blob, owner, name } of named) {
      const { id, size, parts, spooled } = blob
      if (!isStorable(name)) throw misuse(`No blob can have the name ${JSON.stringify(name)}.`)
      if (typeof spooled === 'number') {
        ready.push({ owner, name, size, bytes: null, large: spooled })
        continue
      }
      if (!parts) throw misuse(`The blob ${id} is of another store.`)
      const bytes = parts.length === 1 && parts[0] ? asBuffer(parts[0]) : Buffer.concat(parts)
      if (size <= maxInlineBytes) ready.push({ owner, name, size, bytes, large: null })
      else writing.push(this.#spool(owner, name, bytes))
    }
    return writing.length === 0 ? ready : Promise.all(writing).then((written) => [...ready, ...written])
  }

  async #spool(owner: string, name: string, bytes: Buffer): Promise<StagedBlob> {
    const spool = await this.createSpool()
    await spool.write(bytes)
    const large = await spool.finish()
    return { owner, name, size: bytes.length, bytes: null, large }
  }

  createSpool(): Promise<LargeSpool> {
    return openLargeSpool(this.#sql)
  }

  /** Removes some of the pieces that have been unused for long enough. @returns Whether more may be left. */
  async clean(): Promise<boolean> {
    const gone = await this.#sql.run(
      `WITH gone AS (
         DELETE FROM ${this.#sql.name('unused')} WHERE large IN (
           SELECT large FROM ${this.#sql.name('unused')} WHERE since < now() - interval '${keptMinutes} minutes' LIMIT ${cleanedAtOnce}
         ) RETURNING large
       ), removed AS (DELETE FROM ${this.#sql.name('pieces')} WHERE large IN (SELECT large FROM gone))
       SELECT large FROM gone`,
    )
    return gone.length === cleanedAtOnce
  }

  async #find(partition: string, id: BlobId, columns: string): Promise<BlobContent | null> {
    const { owner, name } = splitBlobId(id)
    if (!isStorable(owner) || !isStorable(name)) return null
    const text = `SELECT ${columns} FROM ${this.#sql.name('blobs')} WHERE partition = $1 AND owner = $2 AND name = $3`
    const [found] = await this.#sql.run<BlobContent>(text, [partition, owner, name])
    return found ?? null
  }

  async *#pieces(id: BlobId, large: number, start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end;) {
      const place = Math.floor(at / pieceBytes)
      const [piece] = await this.#sql.run<{ bytes: Buffer }>(
        `SELECT bytes FROM ${this.#sql.name('pieces')} WHERE large = $1 AND place = $2`,
        [large, place],
      )
      const from = at - place * pieceBytes
      const bytes = piece?.bytes.subarray(from, Math.min(pieceBytes, end - place * pieceBytes))
      if (!bytes || bytes.length === 0)
        throw new LocalpostError(
          'store_corrupt',
          `The database lacks the bytes of ${id} from ${at} on. ${lostOrRemoved}`,
        )
      yield bytes
      at += bytes.length
    }
  }
}

interface BlobContent {
  readonly size: number
  readonly bytes: Buffer | null
  readonly large: number | null
}

/** How long the pieces of a blob that was replaced or removed stay. */
const keptMinutes = 15
const lostOrRemoved = `Either it was removed more than ${keptMinutes} minutes ago, while it was read, or they are lost: \`localpost doctor\` names what is lost.`
const cleanedAtOnce = 20
const asBytes = { objectMode: false }
