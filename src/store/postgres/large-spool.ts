import { LocalpostError } from '../../core/errors.ts'
import type { Spool } from '../blob-writer.ts'
import type { Connection } from './connection.ts'

/** The length of all pieces of a large blob but the last, so that the position of a byte can be computed. */
export const pieceBytes: number = 512 * 1024

/** Begins a large blob under a new number. Until a commit refers to it, it is removed after a day. */
export async function openLargeSpool(sql: Connection): Promise<LargeSpool> {
  const [made] = await sql.run<{ large: number }>(
    `INSERT INTO ${sql.name('unused')} (large, since)
     VALUES (nextval('${sql.name('large_blobs')}'), now() + interval '1 day') RETURNING large::float8 AS large`,
  )
  if (!made) throw new LocalpostError('store_failed', 'PostgreSQL made no number for a large blob.')
  return new LargeSpool(sql, made.large)
}

/** A large blob that is not committed yet. */
export class LargeSpool implements Spool {
  readonly #sql: Connection
  readonly #large: number
  /** The bytes that are not in a piece yet: fewer than one has. */
  #held: Buffer = Buffer.alloc(0)
  #place = 0

  constructor(sql: Connection, large: number) {
    this.#sql = sql
    this.#large = large
  }

  async write(bytes: Uint8Array): Promise<void> {
    const all = Buffer.concat([this.#held, bytes])
    let at = 0
    for (; all.length - at >= pieceBytes; at += pieceBytes)
      await this.#insert(all.subarray(at, at + pieceBytes))
    this.#held = Buffer.from(all.subarray(at))
  }

  /** @returns The number of the blob. */
  async finish(): Promise<number> {
    if (this.#held.length > 0) await this.#insert(this.#held)
    this.#held = Buffer.alloc(0)
    return this.#large
  }

  async discard(): Promise<void> {
    this.#held = Buffer.alloc(0)
    // Waits for a commit that uses the blob, see `holdLarge`. A time in the past is that of a committed blob which was
    // removed since: its pieces may be read for a while.
    const removing = this.#sql.run(
      `WITH gone AS (DELETE FROM ${this.#sql.name('unused')} WHERE large = $1 AND since > now() RETURNING large)
       DELETE FROM ${this.#sql.name('pieces')} WHERE large IN (SELECT large FROM gone)`,
      [this.#large],
    )
    // If this fails, they are removed after a day.
    await removing.catch(() => {})
  }

  async #insert(bytes: Buffer): Promise<void> {
    await this.#sql.run(`INSERT INTO ${this.#sql.name('pieces')} (large, place, bytes) VALUES ($1, $2, $3)`, [
      this.#large,
      this.#place++,
      bytes,
    ])
  }
}
