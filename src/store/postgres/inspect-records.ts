import { type Report, NameTally } from '../doctor/findings.ts'
import { type BlobId, type BlobName, splitBlobId } from '../names.ts'
import { toRecord } from '../read-records.ts'
import type { Collection, StoredRecord } from '../store.ts'
import type { Connection } from './connection.ts'
import { checkNames, shownName } from './name-checks.ts'
import type { SoundTable } from './inspect-tables.ts'
import type { Table } from './table.ts'

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
  { records: report, totals }: { readonly records: Report; readonly totals: Report },
): Promise<void> {
  const before = report.problems
  const counts: string[] = []
  for (const { table, isCurrent } of sound) {
    const damaged = new NameTally()
    const lacking = new NameTally()
    let count = 0
    for await (const rows of rowPages(sql, table, isCurrent)) {
      const wanted: WantedBlob[] = []
      for (const row of rows) {
        count++
        let isDamaged = true
        try {
          const isIntact = isSound(table, row, isCurrent)
          if (table.name === required.collection.name)
            for (const blob of required.blobsOf(toRecord<T>(row.record)))
              wanted.push({ partition: row.partition, ...splitBlobId(blob) })
          isDamaged = !isIntact
        } catch {
          // The record cannot be read.
        }
        if (isDamaged) damaged.add(shownName(row.partition, row.id))
      }
      for (const { partition, owner, name } of await missing(sql, wanted))
        lacking.add(shownName(partition, `${owner}/${name}`))
    }
    if (damaged.count > 0)
      report.problem(
        `${damaged.count} records of ${table.name} are damaged, or their keys are not those of the record: ${damaged.names}.`,
        'Restore the database from a backup.',
      )
    if (lacking.count > 0)
      report.problem(
        `${lacking.count} messages of ${table.name} are missing: ${lacking.names}.`,
        'Restore the database from a backup, or remove these records.',
      )
    if (isCurrent) await inspectUnique(sql, table, report)
    if (count > 0) counts.push(`${count} ${table.name}`)
  }
  if (report.problems === before) report.ok(`The database holds ${counts.join(', ') || 'no records'}.`)
  await inspectTotals(sql, sound, totals)
}

type RecordRow = Record<string, unknown> & {
  readonly partition: string
  readonly id: string
  readonly version: number
  readonly record: string
}

async function* rowPages(sql: Connection, table: Table, isCurrent: boolean): AsyncGenerator<RecordRow[]> {
  const own = isCurrent ? table.columns.map(({ name }) => `, "${name}"`).join('') : ''
  let last: { partition: string; id: string } | undefined
  for (;;) {
    const rows: RecordRow[] = await sql.run<RecordRow>(
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
function isSound(table: Table, row: RecordRow, isCurrent: boolean): boolean {
  const record = toRecord<StoredRecord>(row.record)
  if (record.id !== row.id || record.version !== row.version) return false
  if (!isCurrent) return true
  const { values } = table.rowOf(record, row.record)
  return table.columns.every(({ name }, at) => {
    const [value, stored] = [values[at] ?? null, row[name]]
    return Buffer.isBuffer(value) ? Buffer.isBuffer(stored) && value.equals(stored) : value === stored
  })
}

interface WantedBlob extends BlobName {
  readonly partition: string
}

/** The blobs that do not exist. */
async function missing(sql: Connection, wanted: readonly WantedBlob[]): Promise<WantedBlob[]> {
  if (wanted.length === 0) return []
  return await sql.run(
    `SELECT partition, owner, name FROM unnest($1::text[], $2::text[], $3::text[]) AS given (partition, owner, name)
     WHERE NOT EXISTS (SELECT FROM ${sql.name('blobs')} stored
       WHERE stored.partition = given.partition AND stored.owner = given.owner AND stored.name = given.name)`,
    [
      wanted.map(({ partition }) => partition),
      wanted.map(({ owner }) => owner),
      wanted.map(({ name }) => name),
    ],
  )
}

/** The database does not enforce unique keys; commits check them. */
async function inspectUnique(sql: Connection, table: Table, report: Report): Promise<void> {
  for (const { name, column, isUnique } of table.indexes) {
    if (!isUnique) continue
    await checkNames(sql, report, {
      query: `SELECT partition, min(id) || ' and ' || max(id) FROM ${table.sql} WHERE "${column}" IS NOT NULL
       GROUP BY partition, "${column}" HAVING count(*) > 1`,
      says: ({ names }) => `Records of ${table.name} have the same key of the index "${name}": ${names}.`,
      fix: 'Remove one of each, or restore the database from a backup.',
    })
  }
}

async function inspectTotals(sql: Connection, sound: readonly SoundTable[], report: Report): Promise<void> {
  const before = report.problems
  for (const { table } of sound)
    await checkNames(sql, report, {
      query: `SELECT partition, concat($1::text, ' says ', coalesce(told.records, 0), ' and has ', coalesce(held.records, 0))
       FROM (SELECT partition, records FROM ${sql.name('totals')} WHERE collection = $1::text) told
       FULL JOIN (SELECT partition, count(*) AS records FROM ${table.sql} GROUP BY partition) held USING (partition)
       WHERE coalesce(told.records, 0) <> coalesce(held.records, 0)`,
      values: [table.name],
      says: ({ count, names }) => `${count} counts of records are wrong: ${names}.`,
      fix: `Correct "records" in ${sql.name('totals')} to the number that is there, and start all instances again.`,
    })
  if (report.problems === before) report.ok('The counts of records are right.')
}

const recordsAtOnce = 200
