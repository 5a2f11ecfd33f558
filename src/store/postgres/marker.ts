import type { Pool } from 'pg'
import { continues, type FoundMark, type Mark, markText, parseMark, unfinishedError } from '../unfinished.ts'
import { type StoreAddress, inUse } from './address.ts'
import type { Connection } from './connection.ts'
import type { Membership } from './membership.ts'
import { lockSchema } from './schema.ts'
import { transact } from './transaction.ts'

// The mark is a table of its own, which exists only as long as it is needed: other schemas need no change.
const tableName = 'unfinished'

/** The place of a schema, for people. */
export const shownSchema = ({ shown, schema }: Pick<StoreAddress, 'shown' | 'schema'>): string =>
  `The database ${shown} (schema ${schema})`

/** The mark of a schema; null if it has none. */
export async function readSchemaMark(sql: Connection): Promise<FoundMark | null> {
  const [found] = await sql.run<{ isThere: boolean }>('SELECT to_regclass($1) IS NOT NULL AS "isThere"', [
    sql.name(tableName),
  ])
  if (!found?.isThere) return null
  const [row] = await sql.run<{ mark: string }>(`SELECT mark FROM ${sql.name(tableName)} LIMIT 1`, [], {
    isLasting: false,
  })
  return parseMark(row?.mark ?? '')
}

/** The mark of a schema that is open. */
export class SchemaMark {
  readonly #own: Mark | null
  readonly #address: StoreAddress
  readonly #membership: Membership
  #isSet = false

  /** @param own  The work that fills the schema; null if it is open for anything else. */
  constructor(own: Mark | null, address: StoreAddress, membership: Membership) {
    this.#own = own
    this.#address = address
    this.#membership = membership
  }

  get isSet(): boolean {
    return this.#isSet
  }

  /** Call it once the transaction of `set` was stored. @param isSet  What `set` returned. */
  noteStored(isSet: boolean): void {
    this.#isSet = isSet
  }

  /** Looks for the mark, which was stored before this transaction. @throws store_incomplete if it is one of other work. */
  async check(sql: Connection): Promise<void> {
    const found = await readSchemaMark(sql)
    if (found && !(this.#own && continues(found, this.#own)))
      throw unfinishedError(shownSchema(this.#address), found)
    this.#isSet = found !== null
  }

  /**
   * Sets the mark, as a part of a transaction that holds the lock of the schema.
   *
   * @returns What to give to `noteStored` once the transaction was stored.
   * @throws store_in_use if other instances use the schema.
   */
  async set(sql: Connection): Promise<boolean> {
    if (this.#isSet || !this.#own) return this.#isSet
    if ((await this.#membership.others(sql)).length > 0) throw inUse(this.#address.shown)
    await sql.once(`CREATE TABLE ${sql.name(tableName)} (mark text NOT NULL)`)
    await sql.once(`INSERT INTO ${sql.name(tableName)} (mark) VALUES ($1)`, [markText(this.#own)])
    return true
  }

  /** Sets the mark in a transaction of its own. */
  async begin(pool: Pool): Promise<void> {
    const { schema } = this.#address
    if (this.#isSet || !this.#own) return
    const isSet = await transact(pool, schema, async (sql) => {
      await lockSchema(sql, schema)
      return await this.set(sql)
    })
    this.noteStored(isSet)
  }

  /** Removes the mark. Everything that was stored before is on the disk before this is. */
  async remove(pool: Pool): Promise<void> {
    if (!this.#isSet) return
    await transact(pool, this.#address.schema, (sql) => sql.once(`DROP TABLE ${sql.name(tableName)}`))
    this.#isSet = false
  }
}
