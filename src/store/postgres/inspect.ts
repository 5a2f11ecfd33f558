import { createFindings, type Finding } from '../doctor/findings.ts'
import type { Collection, StoredRecord } from '../store.ts'
import { describeUnfinished } from '../unfinished.ts'
import { type StoreAddress, parseStoreUrl } from './address.ts'
import { Connection } from './connection.ts'
import { openPool } from './driver.ts'
import { databaseFault, openingFault } from './faults.ts'
import { inspectBlobTables } from './inspect-blobs.ts'
import { inspectChanges } from './inspect-changes.ts'
import { inspectInstances } from './inspect-instances.ts'
import { inspectRecords, type RequiredBlobs } from './inspect-records.ts'
import { inspectTables, inspectTexts, inspectVersion } from './inspect-tables.ts'
import { shownSchema, readSchemaMark } from './marker.ts'
import { Table } from './table.ts'
import { transact } from './transaction.ts'

/** The result of inspecting a database. */
export interface SchemaInspection {
  /** Where it is, without user and password. */
  readonly store: string
  readonly schema: string
  /** Whether nothing is lost and the next start accepts the database. */
  readonly healthy: boolean
  /** In the order of the checks. */
  readonly findings: readonly Finding[]
}

/** Options of `inspectSchema`. */
export interface InspectSchemaOptions<T extends StoredRecord> {
  /** As for the store; see `PostgresStoreOptions.url`. */
  readonly url: string
  readonly collections: readonly Collection<StoredRecord>[]
  /** The blobs that each record of a collection must have. */
  readonly required: RequiredBlobs<T>
}

/**
 * Checks the whole schema of a store in a read-only transaction with one snapshot of the database, so it can be called
 * while instances use it. Memory holds some hundred records at a time.
 *
 * @throws invalid_option; store_failed, service_unavailable if the database cannot be reached or the connection is lost.
 */
export async function inspectSchema<T extends StoredRecord>(
  options: InspectSchemaOptions<T>,
): Promise<SchemaInspection> {
  const address = parseStoreUrl(options.url)
  const { schema } = address
  const { all, about } = createFindings()
  const pool = await openPool(address.url, { max: 1, isPipelined: true })
  try {
    const work = async (sql: Connection): Promise<void> => {
      await sql.run('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY')
      await inspectAll(sql, options, { address, about })
    }
    await transact(pool, schema, work, { isLong: true }).catch((error: unknown) => {
      const fault = databaseFault(error)
      // A damaged page of the database ends the transaction, and says where it is.
      if (all.length === 0 || fault.code !== 'store_failed') throw openingFault(error, address)
      about('schema').problem(fault.message, 'What comes after it was not checked.')
    })
  } finally {
    await pool.end()
  }
  const healthy = all.every(({ level }) => level !== 'problem')
  return { store: address.shown, schema, healthy, findings: all }
}

async function inspectAll<T extends StoredRecord>(
  sql: Connection,
  { collections, required }: InspectSchemaOptions<T>,
  { address, about }: { address: StoreAddress } & Pick<ReturnType<typeof createFindings>, 'about'>,
): Promise<void> {
  const { schema } = address
  if (!(await inspectVersion(sql, schema, about('schema')))) return
  const mark = await readSchemaMark(sql)
  if (mark) {
    const { message, fix } = describeUnfinished(shownSchema(address), mark)
    about('schema').problem(message, fix)
  }
  const tables = collections.map((one) => new Table(one, schema))
  const sound = await inspectTables(sql, { schema, tables }, about('tables'))
  if (!sound) return
  await inspectInstances(sql, about('instances'))
  await inspectRecords(sql, sound, required, { records: about('records'), totals: about('totals') })
  await inspectTexts(sql, sound, schema, about('texts'))
  await inspectBlobTables(sql, sound, about('blobs'))
  await inspectChanges(sql, about('changes'))
}
