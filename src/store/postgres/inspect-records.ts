import { type Report, Tally } from '../doctor/findings.ts'
import { splitBlobId } from '../names.ts'
import { toRecord } from '../read-records.ts'
import type { BlobId, Collection, StoredRecord } from '../store.ts'
import type { Connection } from './connection.ts'
import type { SoundTable } from './inspect-tables.ts'
import type { StoredRow, Table } from './table.ts'

/** The blobs that each record of a collection must have. */
export interface RequiredBlobs<T extends StoredRecord> {
  readonly collection: Collection<T>
  blobsOf(record: T): readonly BlobId[]
}

/** Reads and counts all records, and checks that their blobs exist. */
export async function inspectRecords<T extends StoredRecord>(
  sql: Connection,
  sound: readonly SoundTable[],
  required: RequiredBlobs<T>,
  reports: { readonly records: Report; readonly totals: Report },
): Promise<void> {
  const problems = reports.records.problems
  const counts: string[] = []
  const wrong = new Tally()
  for (const { table, isCurrent } of sound) {
    const damaged = new Tally()
    const lacking = new Tally()
    const counted = new Map<string, number>()
    let count = 0
    for await (const rows of pagesOf(sql, table, isCurrent)) {
      const wanted: { partition: string; owner: string; name: string }[] = []
      for (const row of rows) {
        counted.set(row.partition, (counted.get(row.partition) ?? 0) + 1)
        count++
        try {
          if (!isSound(table, row, isCurrent)) damaged.add(shown(row.partition, row.id))
          if (table.name !== required.collection.name) continue
          for (const blob of required.blobsOf(toRecord<T>(row.record)))
            wanted.push({ partition: row.partition, ...splitBlobId(blob) })
        } catch {
          damaged.add(shown(row.partition, row.id))
        }
      }
      for (const { partition, owner, name } of await missing(sql, wanted))
        lacking.add(shown(partition, `${owner}/${name}`))
    }
    if (damaged.count > 0)
      reports.records.problem(
        `${damaged.count} records of ${table.name} are damaged, or their keys are not those of the record: ${damaged.names}.`,
        'Restore the database from a backup.',
      )
    if (lacking.count > 0)
      reports.records.problem(
        `${lacking.count} messages of ${table.name} are missing: ${lacking.names}.`,
        'Restore the database from a backup, or remove these records.',
      )
    if (isCurrent) await inspectUnique(sql, table, reports.records)
    await compareTotals(sql, table, counted, wrong)
    if (count > 0) counts.push(`${count} ${table.name}`)
  }
  if (reports.records.problems === problems)
    reports.records.ok(`The database holds ${counts.join(', ') || 'no records'}.`)
  if (wrong.count === 0) reports.totals.ok('The counts of records are right.')
  else
    reports.totals.problem(
      `${wrong.count} counts of records are wrong: ${wrong.names}.`,
      `Correct "records" in ${sql.name('totals')} to the number that is there, and start all instances again.`,
    )
}

type Row = Record<string, unknown> & {
  readonly partition: string
  readonly id: string
  readonly version: number
  readonly record: string
}

async function* pagesOf(sql: Connection, table: Table, isCurrent: boolean): AsyncGenerator<Row[]> {
  const own = isCurrent ? table.columns.map(({ name }) => `, "${name}"`).join('') : ''
  let last: { partition: string; id: string } | undefined
  for (;;) {
    const rows: Row[] = await sql.run<Row>(
      `SELECT partition, id, version, record::text AS record${own} FROM ${table.sql}
       ${last ? 'WHERE (partition, id) > ($1, $2)' : ''} ORDER BY partition, id LIMIT ${recordsAtOnce}`,
      last ? [last.partition, last.id] : [],
    )
    last = rows.at(-1)
    if (!last) return
    yield rows
  }
}

/** Whether the columns of a row match its record. May throw for a damaged record. */
function isSound(table: Table, row: Row, isCurrent: boolean): boolean {
  const record = toRecord<StoredRecord>(row.record)
  if (record.id !== row.id || record.version !== row.version) return false
  if (!isCurrent) return true
  const { values } = table.rowOf(record, row.record)
  return table.columns.every(({ name }, at) => isSame(values[at] ?? null, row[name]))
}

function isSame(value: StoredRow['values'][number], stored: unknown): boolean {
  if (Buffer.isBuffer(value)) return Buffer.isBuffer(stored) && value.equals(stored)
  return value === stored
}

/** The blobs that do not exist. */
async function missing<T extends { partition: string; owner: string; name: string }>(
  sql: Connection,
  wanted: readonly T[],
): Promise<{ partition: string; owner: string; name: string }[]> {
  if (wanted.length === 0) return []
  return await sql.run(
    `SELECT partition, owner, name FROM unnest($1::text[], $2::text[], $3::text[]) AS given (partition, owner, name)
     WHERE NOT EXISTS (SELECT FROM ${sql.name('blobs')} stored
       WHERE stored.partition = given.partition AND stored.owner = given.owner AND stored.name = given.name)`,
    [
      sql.texts(wanted.map(({ partition }) => partition)),
      sql.texts(wanted.map(({ owner }) => owner)),
      sql.texts(wanted.map(({ name }) => name)),
    ],
  )
}

/** The database does not enforce unique keys; commits check them. */
async function inspectUnique(sql: Connection, table: Table, report: Report): Promise<void> {
  for (const { name, column, isUnique } of table.indexes) {
    if (!isUnique) continue
    const rows = await sql.run<{ partition: string; ids: string }>(
      `SELECT partition, min(id) || ' and ' || max(id) AS ids FROM ${table.sql} WHERE "${column}" IS NOT NULL
       GROUP BY partition, "${column}" HAVING count(*) > 1 LIMIT 1000`,
    )
    const doubled = new Tally()
    for (const { partition, ids } of rows) doubled.add(shown(partition, ids))
    if (doubled.count > 0)
      report.problem(
        `Records of ${table.name} have the same key of the index "${name}": ${doubled.names}.`,
        'Remove one of each, or restore the database from a backup.',
      )
  }
}

async function compareTotals(
  sql: Connection,
  { name }: Table,
  counted: ReadonlyMap<string, number>,
  wrong: Tally,
): Promise<void> {
  const rows = await sql.run<{ partition: string; records: number }>(
    `SELECT partition, records::float8 AS records FROM ${sql.name('totals')} WHERE collection = $1`,
    [name],
  )
  const told = new Map(rows.map(({ partition, records }) => [partition, records]))
  for (const partition of new Set([...told.keys(), ...counted.keys()])) {
    const [is, says] = [counted.get(partition) ?? 0, told.get(partition) ?? 0]
    if (is !== says) wrong.add(`${shown(partition, name)} says ${says} and has ${is}`)
  }
}

/** A name, with its partition unless that is the one of the account `default`. */
export function shown(partition: string, name: string): string {
  return partition === '' ? name : `${partition}: ${name}`
}

const recordsAtOnce = 200
