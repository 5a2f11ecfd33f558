import { type Report, Tally } from '../doctor/findings.ts'
import { pieceBytes } from './blobs.ts'
import type { Connection } from './connection.ts'
import { shown } from './inspect-records.ts'
import type { SoundTable } from './inspect-tables.ts'

const restoreHint = 'Restore the database from a backup, or remove the records that they belong to.'

/** Compares the declared sizes of blobs with their stored pieces, without reading the bytes. */
export async function inspectBlobs(
  sql: Connection,
  sound: readonly SoundTable[],
  report: Report,
): Promise<void> {
  const problems = report.problems
  const [lengths, pieces, owners, strange] = [new Tally(), new Tally(), new Tally(), new Tally()]
  let count = 0
  for await (const rows of pagesOf(sql)) {
    count += rows.length
    for (const row of rows) {
      const name = shown(row.partition, `${row.owner}/${row.name}`)
      if (row.large === null ? row.held !== row.size : row.held !== null) lengths.add(name)
      else if (row.large !== null && (row.wrong > 0 || row.pieces !== Math.ceil(row.size / pieceBytes)))
        pieces.add(name)
    }
    for (const collection of new Set(rows.map((row) => row.collection))) {
      const own = rows.filter((row) => row.collection === collection)
      const table = sound.find((one) => one.table.name === collection)?.table
      if (!table) for (const row of own) strange.add(shown(row.partition, `${row.owner}/${row.name}`))
      else
        for (const row of await ownerless(sql, table.sql, own))
          owners.add(shown(row.partition, `${row.owner}/${row.name}`))
    }
  }
  if (lengths.count > 0)
    report.problem(
      `${lengths.count} blobs do not have as many bytes as they say: ${lengths.names}.`,
      restoreHint,
    )
  if (pieces.count > 0)
    report.problem(
      `${pieces.count} large blobs lack pieces, or have wrong ones: ${pieces.names}.`,
      restoreHint,
    )
  if (owners.count > 0)
    report.problem(
      `${owners.count} blobs belong to no record: ${owners.names}.`,
      'Restore the database from a backup, or remove them.',
    )
  if (strange.count > 0)
    report.note(
      `${strange.count} blobs are of collections that this version does not know: ${strange.names}.`,
    )
  await inspectNumbers(sql, report)
  if (report.problems === problems) report.ok(`All bytes of ${count} blobs are there.`)
}

interface Row {
  readonly partition: string
  readonly owner: string
  readonly name: string
  readonly collection: string
  readonly size: number
  readonly held: number | null
  readonly large: number | null
  readonly pieces: number
  /** How many pieces do not have the length that their position requires. */
  readonly wrong: number
}

async function* pagesOf(sql: Connection): AsyncGenerator<Row[]> {
  let last: Row | undefined
  for (;;) {
    const rows: Row[] = await sql.run<Row>(
      `SELECT partition, owner, name, collection, size::float8 AS size, octet_length(bytes) AS held,
         large::float8 AS large, pieces, wrong
       FROM (SELECT * FROM ${sql.name('blobs')} ${last ? 'WHERE (partition, owner, name) > ($1, $2, $3)' : ''}
             ORDER BY partition, owner, name LIMIT ${blobsAtOnce}) blob
       CROSS JOIN LATERAL (
         SELECT count(*)::float8 AS pieces,
           (count(*) FILTER (WHERE octet_length(piece.bytes) <> least(${pieceBytes}, size - place::int8 * ${pieceBytes})))::float8 AS wrong
         FROM ${sql.name('pieces')} piece WHERE piece.large = blob.large) held
       ORDER BY partition, owner, name`,
      last ? [last.partition, last.owner, last.name] : [],
    )
    last = rows.at(-1)
    if (!last) return
    yield rows
  }
}

/** The blobs whose record does not exist. */
async function ownerless(sql: Connection, table: string, rows: readonly Row[]): Promise<Row[]> {
  const found = await sql.run<{ at: number }>(
    `SELECT given.at::int4 AS at FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS given (partition, owner, at)
     WHERE NOT EXISTS (SELECT FROM ${table} stored WHERE stored.partition = given.partition AND stored.id = given.owner)
     ORDER BY 1`,
    [sql.texts(rows.map(({ partition }) => partition)), sql.texts(rows.map(({ owner }) => owner))],
  )
  return found.flatMap(({ at }) => rows[at - 1] ?? [])
}

/** Checks the numbers of large blobs: to which blob pieces belong, and which pieces wait to be removed. */
async function inspectNumbers(sql: Connection, report: Report): Promise<void> {
  const [blobs, unused, pieces] = ['blobs', 'unused', 'pieces'].map((table) => sql.name(table))
  const numbers = async (text: string): Promise<Tally> => {
    const tally = new Tally()
    for (const { large } of await sql.run<{ large: number }>(`${text} ORDER BY 1 LIMIT 1000`))
      tally.add(String(large))
    return tally
  }
  const lost = await numbers(
    `SELECT large::float8 AS large FROM (SELECT DISTINCT large FROM ${pieces}
     EXCEPT SELECT large FROM ${blobs} EXCEPT SELECT large FROM ${unused}) AS found`,
  )
  if (lost.count > 0)
    report.problem(
      `The pieces of ${lost.count} large blobs belong to none: numbers ${lost.names}.`,
      `They only take space: insert their numbers into ${unused} with since = now(), and they are removed.`,
    )
  const doomed = await numbers(`SELECT large::float8 AS large FROM ${blobs} JOIN ${unused} USING (large)`)
  if (doomed.count > 0)
    report.problem(
      `${doomed.count} large blobs are in use and listed for removal: numbers ${doomed.names}.`,
      `Remove their numbers from ${unused} at once.`,
    )
  const doubled = await numbers(
    `SELECT large::float8 AS large FROM ${blobs} WHERE large IS NOT NULL GROUP BY large HAVING count(*) > 1`,
  )
  if (doubled.count > 0)
    report.problem(`${doubled.count} large blobs have the same number: ${doubled.names}.`, restoreHint)
  const [next] = await sql.run<{ next: number; greatest: number }>(
    `SELECT (last_value + is_called::int)::float8 AS next,
       (SELECT coalesce(max(large), 0) FROM ${pieces})::float8 AS greatest FROM ${sql.name('large_blobs')}`,
  )
  if (next && next.next <= next.greatest)
    report.problem(
      `The next large blob would get the number ${next.next}, but there are pieces up to ${next.greatest}.`,
      `Run SELECT setval('${sql.name('large_blobs')}', ${next.greatest}).`,
    )
}

const blobsAtOnce = 500
