import { type Report, NameTally } from '../doctor/findings.ts'
import type { Connection } from './connection.ts'
import { firstTable, ownTables, schemaVersion } from './schema.ts'
import { ownColumns, partColumn, type Table } from './table.ts'
import { indexName } from './texts-schema.ts'

/** A table that can be read, and whether its columns are those of this version. */
export interface SoundTable {
  readonly table: Table
  readonly isCurrent: boolean
}

const restoreHint = 'Restore the database from a backup.'

/** @returns Whether the schema has tables of a version that this one can read. */
export async function inspectVersion(sql: Connection, schema: string, report: Report): Promise<boolean> {
  const first = await firstTable(sql, schema)
  if (first === null) {
    report.problem(
      `The schema "${schema}" of the database is missing or has no tables.`,
      'Check the URL; a start with it makes them.',
    )
    return false
  }
  if (first !== 'localpost') {
    report.problem(
      `The schema "${schema}" has no table "localpost", but others, such as "${first}". A start refuses it.`,
      `Use another schema (\`?schema=name\` at the end of the URL), or restore the database from a backup.`,
    )
    return false
  }
  const [row] = await sql.run<{ version: unknown }>(
    `SELECT to_jsonb(own)->'version' AS version FROM ${sql.name('localpost')} own`,
  )
  if (typeof row?.version !== 'number') {
    report.problem('The row with the version of the tables is missing.', restoreHint)
    return false
  }
  if (row.version > schemaVersion) {
    report.problem(
      `The tables have version ${row.version}; this version of Localpost knows ${schemaVersion}. Nothing else was checked.`,
      'Use the newer version of Localpost.',
    )
    return false
  }
  report.ok(`The tables have version ${row.version}.`)
  return true
}

/** The names that PostgreSQL gives to the types of columns. */
const typeNames: Readonly<Record<string, string>> = {
  int4: 'integer',
  int8: 'bigint',
  float8: 'double precision',
  timestamptz: 'timestamp with time zone',
}

/** @returns The tables of the collections that can be read; null if the tables of the store itself cannot. */
export async function inspectTables(
  sql: Connection,
  { schema, tables }: { schema: string; tables: readonly Table[] },
  report: Report,
): Promise<SoundTable[] | null> {
  const before = report.problems
  const found = await findTables(sql, schema)
  for (const [name, columns] of Object.entries(ownTables)) inspectColumns(name, columns, found, report)
  if (!found.has('large_blobs')) report.problem('The sequence "large_blobs" is missing.', restoreHint)
  if (report.problems > before) return null
  const rows = await sql.run<{ name: string; signature: string }>(
    `SELECT name, signature FROM ${sql.name('collections')} LIMIT 10000`,
  )
  const signatures = new Map(rows.map(({ name, signature }) => [name, signature]))
  const sound: SoundTable[] = []
  for (const table of tables) {
    const signature = signatures.get(table.name)
    const name = table.stored
    if (signature === undefined && !found.has(name)) {
      report.note(`The table "${name}" is not there yet; the next start makes it.`)
      continue
    }
    const isCurrent = signature === table.signature
    const added = isCurrent ? table.columns.map((column) => [column.name, column.type]) : []
    if (!inspectColumns(name, { ...ownColumns, ...Object.fromEntries(added) }, found, report)) continue
    if (signature === undefined)
      report.problem(`The table "${name}" is not listed in the table "collections".`, restoreHint)
    else if (isCurrent) inspectIndexes(sql, table, found.get(name)?.indexes ?? new Set(), report)
    else
      report.note(`Another version of Localpost wrote "${name}"; the next start computes its indexes again.`)
    sound.push({ table, isCurrent })
  }
  if (report.problems === before) report.ok('All tables have the columns and keys of this version.')
  return sound
}

/**
 * Compares the columns of a table with those that it must have.
 *
 * @param columns  Their types, as {@link ownTables} declares them.
 * @returns Whether it has all of them, and its primary key.
 */
function inspectColumns(
  name: string,
  columns: Readonly<Record<string, string>>,
  found: ReadonlyMap<string, FoundTable>,
  report: Report,
): boolean {
  const table = found.get(name)
  if (!table) {
    report.problem(`The table "${name}" is missing.`, restoreHint)
    return false
  }
  const wrong = new NameTally()
  for (const [column, declared] of Object.entries(columns)) {
    const actual = table.columns.get(column)
    const [type = ''] = declared.split(' ')
    const expected = typeNames[type] ?? type
    if (actual === undefined) wrong.add(`"${column}" is missing`)
    else if (actual !== expected) wrong.add(`"${column}" is ${actual} instead of ${expected}`)
  }
  if (!table.hasKey) wrong.add('the primary key is missing')
  if (wrong.count > 0)
    report.problem(`The table "${name}" is not as it was made: ${wrong.names}.`, restoreHint)
  return wrong.count === 0
}

function inspectIndexes(sql: Connection, table: Table, existing: ReadonlySet<string>, report: Report): void {
  const missing = table.indexes.map(({ stored }) => stored).filter((name) => !existing.has(name))
  if (missing.length > 0)
    report.problem(
      `The table "${table.stored}" lacks indexes, so that reads and commits are slow: ${missing.map((name) => `"${name}"`).join(', ')}.`,
      `Stop all instances, and run UPDATE ${sql.name('collections')} SET signature = '' WHERE name = '${table.name}'; the next start makes them again.`,
    )
}

/** Checks the texts by which records are searched. Missing ones are no problem, because they are created again. */
export async function inspectTexts(
  sql: Connection,
  sound: readonly SoundTable[],
  schema: string,
  report: Report,
): Promise<void> {
  const found = await findTables(sql, schema)
  for (const { table: collection } of sound) {
    if (!collection.texts) continue
    const { sql: name, stored, parts } = collection.texts
    const table = found.get(stored)
    if (!table) {
      report.note(`The texts of ${collection.name} are not there yet; the next start makes them.`)
      continue
    }
    const columns = ['partition', 'id', 'unsure', ...parts.map((_, at) => partColumn(at))]
    if (!columns.every((column) => table.columns.has(column))) {
      report.problem(
        `The table ${name} is not as it was made.`,
        `Stop all instances and run DROP TABLE ${name}: the next start makes it and its texts again.`,
      )
      continue
    }
    const [count] = await sql.run<{ texts: number; left: number }>(
      `SELECT count(*)::float8 AS texts, count(*) FILTER (WHERE record.id IS NULL)::float8 AS left
       FROM ${name} text LEFT JOIN ${collection.sql} record USING (partition, id)`,
    )
    if (count && count.left > 0)
      report.problem(
        `${count.left} texts of ${collection.name} belong to no record, so that searches count too many.`,
        `Stop all instances and run TRUNCATE ${name}: the texts are made again.`,
      )
    else report.ok(`${count?.texts ?? 0} texts of ${collection.name} for searches belong to records.`)
    if (!table.indexes.has(indexName(stored)))
      report.note(
        `The texts of ${collection.name} have no index of trigrams: searches for words look at each of them.`,
      )
  }
}

interface FoundTable {
  readonly columns: ReadonlyMap<string, string>
  readonly hasKey: boolean
  readonly indexes: ReadonlySet<string>
}

/** The tables and sequences of a schema. */
async function findTables(sql: Connection, schema: string): Promise<Map<string, FoundTable>> {
  const rows = await sql.run<{
    name: string
    columns: Record<string, string> | null
    has_key: boolean
    indexes: string[] | null
  }>(
    `SELECT relname::text AS name,
       (SELECT json_object_agg(attname, format_type(atttypid, atttypmod)) FROM pg_attribute
        WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped) AS columns,
       EXISTS (SELECT FROM pg_index WHERE indrelid = pg_class.oid AND indisprimary AND indisvalid) AS has_key,
       (SELECT json_agg(made.relname) FROM pg_index JOIN pg_class made ON made.oid = indexrelid
        WHERE indrelid = pg_class.oid AND indisvalid) AS indexes
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = $1 AND relkind IN ('r', 'S') ORDER BY 1 LIMIT 1000`,
    [schema],
  )
  return new Map(
    rows.map(({ name, columns, has_key, indexes }) => [
      name,
      { columns: new Map(Object.entries(columns ?? {})), hasKey: has_key, indexes: new Set(indexes) },
    ]),
  )
}
