import { invalidOption, LocalpostError } from '../../core/errors.ts'
import { toRecord } from '../read-records.ts'
import type { StoredRecord } from '../store.ts'
import type { Connection } from './connection.ts'
import { Parameters } from './parameters.ts'
import { ownColumns, type Table } from './table.ts'
import { recordColumns } from './rows.ts'

/** The version of the tables that this program writes. */
export const schemaVersion = 1

/** A column of texts that are compared by code point. */
const sortedText = 'text COLLATE "C" NOT NULL'

/**
 * Creates the tables of the store itself, if they are missing. Call it in a transaction: it holds a lock until the end,
 * so that only one of several starting instances does this.
 *
 * @param schema  The name of the schema of the tables.
 * @returns Whether they were missing.
 * @throws store_newer_schema if a newer version created the tables; invalid_option if the schema has other tables.
 */
export async function prepareOwnTables(sql: Connection, schema: string): Promise<boolean> {
  await lockSchema(sql, schema)
  const isNew = !(await hasOwnTables(sql, schema))
  if (isNew) {
    // A user who may not create schemas may use an existing one.
    const given = await sql.run('SELECT FROM pg_namespace WHERE nspname = $1', [schema])
    if (given.length === 0) await sql.once(`CREATE SCHEMA "${schema}"`)
    await createOwnTables(sql)
  }
  const [{ version } = { version: schemaVersion }] = await sql.run<{ version: number }>(
    `SELECT version FROM ${sql.name('localpost')}`,
  )
  if (version > schemaVersion) {
    throw new LocalpostError(
      'store_newer_schema',
      `The schema "${schema}" of the database has version ${version}; this version of Localpost knows ${schemaVersion}. ` +
        'Use the newer version, or another schema (`?schema=name` at the end of the URL).',
    )
  }
  return isNew
}

/** Waits until no other instance prepares the tables, and makes others wait until the end of the transaction. */
export async function lockSchema(sql: Connection, schema: string): Promise<void> {
  await sql.run('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`localpost ${schema}`])
}

/**
 * Creates missing tables of collections, and updates those of another version.
 *
 * @param assertAlone  Called before the columns of a table are replaced, which other instances must not use then.
 */
export async function prepareCollections(
  sql: Connection,
  tables: readonly Table[],
  assertAlone: () => Promise<void>,
): Promise<void> {
  const rows = await sql.run<{ name: string; signature: string }>(
    `SELECT name, signature FROM ${sql.name('collections')}`,
  )
  const known = new Map(rows.map(({ name, signature }) => [name, signature]))
  const outdated = tables.filter(({ name, signature }) => known.get(name) !== signature)
  if (outdated.some(({ name }) => known.has(name))) await assertAlone()
  for (const table of outdated) await prepareTable(sql, table, { exists: known.has(table.name) })
}

/** @throws invalid_option if the schema has tables that are not Localpost's. */
async function hasOwnTables(sql: Connection, schema: string): Promise<boolean> {
  const name = await firstTable(sql, schema)
  if (name === null || name === 'localpost') return name !== null
  throw invalidOption(
    `The schema "${schema}" of the database has tables of another program, such as ${JSON.stringify(name)}. ` +
      'Use another schema: `?schema=name` at the end of the URL.',
  )
}

/** `localpost` if the schema has that table, otherwise the name of the first table, view or sequence; null if it has none. */
export async function firstTable(sql: Connection, schema: string): Promise<string | null> {
  const [first] = await sql.run<{ name: string }>(
    `SELECT relname::text AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = $1 AND relkind IN ('r', 'v', 'm', 'S', 'f', 'p') ORDER BY relname <> 'localpost', 1 LIMIT 1`,
    [schema],
  )
  return first?.name ?? null
}

/**
 * The columns of the tables that belong to no collection, with types and constraints. Instances of other versions use
 * them; `doctor` compares them.
 */
export const ownTables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  localpost: {
    is_one: 'boolean PRIMARY KEY DEFAULT true CHECK (is_one)',
    version: 'int4 NOT NULL',
    seq: 'int8 NOT NULL',
  },
  collections: { name: 'text PRIMARY KEY', signature: 'text NOT NULL' },
  instances: {
    id: 'text PRIMARY KEY',
    holder: 'text NOT NULL',
    batch: 'int8 NOT NULL DEFAULT 0',
    has_turn: 'boolean NOT NULL DEFAULT false',
    until: 'timestamptz NOT NULL',
  },
  changes: {
    seq: 'int8 PRIMARY KEY',
    instance: 'text NOT NULL',
    partition: sortedText,
    changes: 'text NOT NULL',
  },
  totals: { partition: sortedText, collection: sortedText, records: 'int8 NOT NULL' },
  blobs: {
    partition: sortedText,
    owner: sortedText,
    name: sortedText,
    collection: sortedText,
    size: 'int8 NOT NULL',
    bytes: 'bytea',
    large: 'int8',
  },
  pieces: { large: 'int8 NOT NULL', place: 'int4 NOT NULL', bytes: 'bytea NOT NULL' },
  // Pieces that no blob uses. `since` is in the future for a blob that is not committed yet.
  unused: { large: 'int8 PRIMARY KEY', since: 'timestamptz NOT NULL' },
}

const primaryKeys: Readonly<Record<string, string>> = {
  totals: 'partition, collection',
  blobs: 'partition, owner, name',
  pieces: 'large, place',
}

async function createOwnTables(sql: Connection): Promise<void> {
  for (const [table, columns] of Object.entries(ownTables)) {
    const parts = Object.entries(columns).map(([name, type]) => `${name} ${type}`)
    const key = primaryKeys[table]
    if (key !== undefined) parts.push(`PRIMARY KEY (${key})`)
    await sql.once(`CREATE TABLE ${sql.name(table)} (${parts.join(', ')})`)
  }
  await sql.once(`INSERT INTO ${sql.name('localpost')} (version, seq) VALUES (${schemaVersion}, 0)`)
  await sql.once(`CREATE SEQUENCE ${sql.name('large_blobs')}`)
  // Messages are hardly smaller when compressed, and a part of an uncompressed value can be read alone.
  for (const table of ['blobs', 'pieces'])
    await sql.once(`ALTER TABLE ${sql.name(table)} ALTER COLUMN bytes SET STORAGE EXTERNAL`)
}

/** Creates the table of a collection, or updates its columns and indexes to this version. */
async function prepareTable(sql: Connection, table: Table, { exists }: { exists: boolean }): Promise<void> {
  const own = Object.entries(ownColumns)
  const columns = table.columns.map(({ name, type }) => `"${name}" ${type}`)
  if (!exists) {
    await sql.once(
      `CREATE TABLE ${table.sql} (
         ${own.map(([name, type]) => `${name} ${type},`).join(' ')}
         ${columns.map((column) => `${column},`).join(' ')}
         PRIMARY KEY (partition, id)
       )`,
    )
  } else {
    // Own columns were made first, and their numbers are never used again.
    const old = await sql.run<{ name: string }>(
      `SELECT attname::text AS name FROM pg_attribute
       WHERE attrelid = $1::regclass AND attnum > ${own.length} AND NOT attisdropped`,
      [table.sql],
    )
    // Their indexes go with them.
    const changes = [
      ...old.map(({ name }) => `DROP COLUMN "${name}"`),
      ...columns.map((column) => `ADD COLUMN ${column}`),
    ]
    if (changes.length > 0) await sql.once(`ALTER TABLE ${table.sql} ${changes.join(', ')}`)
    await fillColumns(sql, table)
  }
  // Unique keys are checked before the rows are written, so that two records of one transaction may exchange them.
  for (const { stored, column } of table.indexes) {
    await sql.once(
      `CREATE INDEX "${stored}" ON ${table.sql} (partition, "${column}", id) WHERE "${column}" IS NOT NULL`,
    )
  }
  await sql.run(
    `INSERT INTO ${sql.name('collections')} (name, signature) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET signature = excluded.signature`,
    [table.name, table.signature],
  )
}

/** Computes the columns of all records again. */
async function fillColumns(sql: Connection, table: Table): Promise<void> {
  if (table.columns.length === 0) return
  let last = { partition: '', id: '' }
  for (;;) {
    const rows = await sql.run<{ partition: string; id: string; record: string }>(
      `SELECT partition, id, record::text AS record FROM ${table.sql}
       WHERE (partition, id) > ($1, $2) ORDER BY partition, id LIMIT 1000`,
      [last.partition, last.id],
    )
    const end = rows.at(-1)
    if (!end) return
    last = end
    const kept = rows.map(({ partition, record }) => {
      return { partition, row: table.rowOf(toRecord<StoredRecord>(record), record) }
    })
    const parameters = new Parameters()
    const given = parameters.unnest(recordColumns(table, kept))
    const set = table.columns.map(({ name }) => `"${name}" = given."${name}"`)
    await sql.once(
      `UPDATE ${table.sql} stored SET ${set.join(', ')} FROM ${given}
       WHERE stored.partition = given.partition AND stored.id = given.id`,
      parameters.values,
    )
  }
}
