import type { Report } from '../doctor/findings.ts'
import type { Connection } from './connection.ts'
import { checkNames, findNames } from './name-checks.ts'
import type { SoundTable } from './inspect-tables.ts'
import { pieceBytes } from './large-spool.ts'

const restoreOrRemove = 'Restore the database from a backup, or remove the records that they belong to.'

/** Compares the declared sizes of blobs with their stored pieces, without reading the bytes. */
export async function inspectBlobTables(
  sql: Connection,
  sound: readonly SoundTable[],
  report: Report,
): Promise<void> {
  const before = report.problems
  const named = namedIn(sql)
  await checkNames(sql, report, {
    query: `${named} WHERE octet_length(bytes) IS DISTINCT FROM (CASE WHEN large IS NULL THEN size END)`,
    says: ({ count, names }) => `${count} blobs do not have as many bytes as they say: ${names}.`,
    fix: restoreOrRemove,
  })
  await checkNames(sql, report, {
    query: `${named} CROSS JOIN LATERAL (
       SELECT count(*) AS pieces, count(*) FILTER (
         WHERE octet_length(piece.bytes) <> least(${pieceBytes}, size - place::int8 * ${pieceBytes})
       ) AS wrong
       FROM ${sql.name('pieces')} piece WHERE piece.large = blob.large
     ) held
     WHERE large IS NOT NULL AND (wrong > 0 OR pieces <> (size + ${pieceBytes - 1}) / ${pieceBytes})`,
    says: ({ count, names }) => `${count} large blobs lack pieces, or have wrong ones: ${names}.`,
    fix: restoreOrRemove,
  })
  await inspectOwners(sql, sound, report)
  await inspectNumbers(sql, report)
  if (report.problems > before) return
  const [found] = await sql.run<{ count: number }>(
    `SELECT count(*)::float8 AS count FROM ${sql.name('blobs')}`,
  )
  report.ok(`All bytes of ${found?.count ?? 0} blobs are there.`)
}

/** The beginning of a query for partitions and names of blobs. */
function namedIn(sql: Connection): string {
  return `SELECT partition, owner || '/' || name FROM ${sql.name('blobs')} blob`
}

/** Finds blobs of records, and of collections, that are not there. */
async function inspectOwners(sql: Connection, sound: readonly SoundTable[], report: Report): Promise<void> {
  const named = namedIn(sql)
  for (const { table } of sound)
    await checkNames(sql, report, {
      query: `${named} WHERE collection = $1 AND NOT EXISTS (
         SELECT FROM ${table.sql} record WHERE record.partition = blob.partition AND record.id = blob.owner)`,
      values: [table.name],
      says: ({ count, names }) => `${count} blobs belong to no record: ${names}.`,
      fix: 'Restore the database from a backup, or remove them.',
    })
  const collections = sound.map(({ table }) => table.name)
  const { count, names } = await findNames(sql, `${named} WHERE collection <> ALL($1::text[])`, [collections])
  if (count > 0) report.note(`${count} blobs are of collections that this version does not know: ${names}.`)
}

/**
 * Compares the numbers of large blobs, which are those of all partitions: which pieces belong to a blob or are unused,
 * and which is next.
 */
async function inspectNumbers(sql: Connection, report: Report): Promise<void> {
  const [blobs, unused, pieces] = ['blobs', 'unused', 'pieces'].map((table) => sql.name(table))
  await checkNames(sql, report, {
    query: `SELECT '', large::text FROM (SELECT DISTINCT large FROM ${pieces}
     EXCEPT SELECT large FROM ${blobs} EXCEPT SELECT large FROM ${unused}) AS lost`,
    says: ({ count, names }) => `The pieces of ${count} large blobs belong to no blob: numbers ${names}.`,
    fix: `They only take space: insert their numbers into ${unused} with since = now(), and they are removed.`,
  })
  await checkNames(sql, report, {
    query: `SELECT '', large::text FROM ${blobs} JOIN ${unused} USING (large)`,
    says: ({ count, names }) => `${count} large blobs are in use and listed for removal: numbers ${names}.`,
    fix: `Remove their numbers from ${unused} at once.`,
  })
  await checkNames(sql, report, {
    query: `SELECT '', large::text FROM ${blobs} WHERE large IS NOT NULL GROUP BY large HAVING count(*) > 1`,
    says: ({ count, names }) => `${count} large blobs have the same number: ${names}.`,
    fix: restoreOrRemove,
  })
  const [found] = await sql.run<{ next: number; greatest: number }>(
    `SELECT (last_value + is_called::int)::float8 AS next,
       (SELECT coalesce(max(large), 0) FROM ${pieces})::float8 AS greatest
     FROM ${sql.name('large_blobs')}`,
  )
  if (found && found.next <= found.greatest)
    report.problem(
      `The next large blob would get the number ${found.next}, but there are pieces up to ${found.greatest}.`,
      `Run SELECT setval('${sql.name('large_blobs')}', ${found.greatest}).`,
    )
}
