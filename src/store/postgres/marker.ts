import type { Pool } from 'pg'
import { continues, type FoundMark, type Mark, markText, parseMark, unfinished } from '../unfinished.ts'
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

/**
 * Refuses a schema with a mark of other work.
 *
 * @param own  The work that fills it; null to open it for anything else.
 * @returns Whether it has the mark.
 * @throws store_incomplete.
 */
export async function checkMark(sql: Connection, own: Mark | null, address: StoreAddress): Promise<boolean> {
  const found = await readSchemaMark(sql)
  if (found && !(own && continues(found, own))) throw unfinished(shownSchema(address), found)
  return found !== null
}

/**
 * Sets the mark, as a part of a transaction that holds the lock of the schema.
 *
 * @throws store_in_use if other instances use the schema.
 */
export async function setMark(
  sql: Connection,
  own: Mark,
  { address, membership }: { address: StoreAddress; membership: Membership },
): Promise<void> {
  if ((await membership.others(sql)).length > 0) throw inUse(address.shown)
  await sql.once(`CREATE TABLE ${sql.name(tableName)} (mark text NOT NULL)`)
  await sql.once(`INSERT INTO ${sql.name(tableName)} (mark) VALUES ($1)`, [markText(own)])
}

/** Sets the mark in a transaction of its own. */
export async function beginMark(
  pool: Pool,
  own: Mark,
  deps: { address: StoreAddress; membership: Membership },
): Promise<void> {
  const { schema } = deps.address
  await transact(pool, schema, async (sql) => {
    await lockSchema(sql, schema)
    await setMark(sql, own, deps)
  })
}

/** Removes the mark. Everything that was stored before is on the disk before this is. */
export async function removeMark(pool: Pool, schema: string): Promise<void> {
  await transact(pool, schema, (sql) => sql.once(`DROP TABLE ${sql.name(tableName)}`))
}
