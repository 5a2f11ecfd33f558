import { LocalpostError } from '../../core/errors.ts'
import type { PartitionedStore } from '../partitioned-store.ts'
import type { Collection, StoredRecord } from '../store.ts'
import { parseStoreUrl } from './address.ts'
import { Connection } from './connection.ts'
import { closePools, openPools } from './driver.ts'
import { openingFault } from './faults.ts'
import { SchemaMark } from './marker.ts'
import { Membership } from './membership.ts'
import { prepareCollections, prepareOwnTables } from './schema.ts'
import { prepareTexts, type TextSearch } from './texts-schema.ts'
import { Table } from './table.ts'
import { startStore, type StoreSettings } from './start.ts'
import type { Filling, Mark } from '../unfinished.ts'
import { transact } from './transaction.ts'

/** Options of `openPostgresStore`. */
export interface PostgresStoreOptions extends StoreSettings {
  /** `postgres://user:password@host:port/database`, with `?schema=name` for another schema than `localpost`. */
  readonly url: string
  /** Every collection that will be used. Other collections in the schema are kept. */
  readonly collections: readonly Collection<StoredRecord>[]
}

/**
 * Opens the store in a PostgreSQL database, version 13 or later. Several instances can use a schema at the same time.
 *
 * @throws invalid_option, store_newer_schema; store_incomplete if a copy into it was interrupted; store_in_use if the tables
 *   must be changed and another version uses them; store_failed if the database cannot be reached or refuses. Then
 *   nothing was created.
 * @example
 * const store = await openPostgresStore({ url: 'postgres://localpost@127.0.0.1/mail', collections })
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PartitionedStore> {
  return (await openSchema(options)).store
}

/**
 * Opens the store in a database to fill it. A new schema is marked in the transaction that creates it;
 * {@link openPostgresStore} and `inspectSchema` refuse it until `finish`. A marked one is opened again for the same work.
 *
 * @throws store_incomplete if other work has marked it; store_in_use if instances use it and it has no mark yet; the errors
 *   of openPostgresStore.
 */
export async function fillPostgresStore(options: PostgresStoreOptions, mark: Mark): Promise<Filling> {
  return await openSchema(options, mark)
}

async function openSchema(options: PostgresStoreOptions, work: Mark | null = null): Promise<Filling> {
  const address = parseStoreUrl(options.url)
  const { schema } = address
  const pools = await openPools(address.url)
  const { writing } = pools
  const membership = new Membership()
  const mark = new SchemaMark(work, address, membership)
  const tables = new Map(options.collections.map((one) => [one.name, new Table(one, schema)]))
  try {
    await assertVersion(new Connection(writing, schema))
    const prepare = async (sql: Connection): Promise<{ search: TextSearch; isMarked: boolean }> => {
      const isNew = await prepareOwnTables(sql, schema)
      await mark.check(sql)
      await membership.join(sql)
      const isMarked = isNew ? await mark.set(sql) : mark.isSet
      const alone = (): Promise<void> => assertAlone(sql, schema, membership)
      await prepareCollections(sql, [...tables.values()], alone)
      return { search: await prepareTexts(sql, [...tables.values()], alone), isMarked }
    }
    const { search, isMarked } = await transact(writing, schema, prepare, { isLong: true })
    mark.noteStored(isMarked)
    if (search === 'scan') options.onNotice?.(withoutTrigrams)
    const store = await startStore({ ...options, schema, tables, search, membership, pools })
    return {
      store,
      get isMarked() {
        return mark.isSet
      },
      begin: () => mark.begin(writing),
      async finish() {
        try {
          await mark.remove(writing)
        } finally {
          await store.close()
        }
      },
    }
  } catch (error) {
    await closePools(pools)
    throw openingFault(error, address)
  }
}

async function assertAlone(sql: Connection, schema: string, membership: Membership): Promise<void> {
  const others = await membership.others(sql)
  if (others.length === 0) return
  throw new LocalpostError(
    'store_in_use',
    `The schema "${schema}" of the database is used by another version of Localpost, and this one has to change its tables: ${others.join(', ')}. Stop the others first.`,
  )
}

const withoutTrigrams =
  'Searches for words look at the text of each mail: the database lacks the extension pg_trgm, and this user may not create it. ' +
  'Have an administrator run CREATE EXTENSION pg_trgm in the database, then restart.'

async function assertVersion(sql: Connection): Promise<void> {
  const [found] = await sql.run<{ version: string }>(
    "SELECT current_setting('server_version_num') AS version",
  )
  const version = Math.floor(Number(found?.version ?? 0) / 10_000)
  if (version >= 13) return
  throw new LocalpostError(
    'store_failed',
    `The database is PostgreSQL ${version}; Localpost needs version 13 or later. Nothing was created.`,
  )
}
