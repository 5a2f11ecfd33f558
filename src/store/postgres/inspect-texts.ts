import type { Report } from '../doctor/findings.ts'
import type { Connection } from './connection.ts'
import type { SoundTable } from './inspect-tables.ts'
import { indexName } from './texts-schema.ts'

/** Checks the texts by which records are searched. Missing ones are no problem, because they are created again. */
export async function inspectTexts(
  sql: Connection,
  sound: readonly SoundTable[],
  report: Report,
): Promise<void> {
  for (const { table } of sound) {
    if (!table.texts) continue
    const { name, parts } = table.texts
    const [has] = await sql.run<{ columns: number; indexes: number }>(
      `SELECT (SELECT count(*)::int4 FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped
           AND attname IN ('partition', 'id', 'unsure', ${parts.map((_, at) => `'part_${at}'`).join(', ')})) AS columns,
         (SELECT count(*)::int4 FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
          WHERE indrelid = to_regclass($1) AND indisvalid AND relname = $2) AS indexes`,
      [name, indexName(name)],
    )
    if (has?.columns === 0) {
      report.note(`The texts of ${table.name} are not there yet; the next start makes them.`)
      continue
    }
    if (has?.columns !== parts.length + 3) {
      report.problem(
        `The table ${name} is not as it was made.`,
        `Stop all instances and run DROP TABLE ${name}: the next start makes it and its texts again.`,
      )
      continue
    }
    const [found] = await sql.run<{ texts: number; left: number }>(
      `SELECT count(*)::float8 AS texts, count(*) FILTER (WHERE record.id IS NULL)::float8 AS left
       FROM ${name} text LEFT JOIN ${table.sql} record USING (partition, id)`,
    )
    if (found && found.left > 0)
      report.problem(
        `${found.left} texts of ${table.name} belong to no record, so that searches count too many.`,
        `Stop all instances and run TRUNCATE ${name}: the texts are made again.`,
      )
    else report.ok(`${found?.texts ?? 0} texts of ${table.name} for searches belong to records.`)
    if (has.indexes === 0)
      report.note(
        `The texts of ${table.name} have no index of trigrams: searches for words look at each of them.`,
      )
  }
}
