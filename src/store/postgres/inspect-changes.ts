import { type Report, NameTally } from '../doctor/findings.ts'
import type { Connection } from './connection.ts'
import { checkNames } from './name-checks.ts'

/** Reads the table of changes, which must be free of gaps up to the last commit. */
export async function inspectChanges(sql: Connection, report: Report): Promise<void> {
  const before = report.problems
  const table = sql.name('changes')
  const [own] = await sql.run<{ seq: number }>(`SELECT seq::float8 AS seq FROM ${sql.name('localpost')}`)
  const seq = own?.seq ?? 0
  const restart = 'Start all instances again: each then reads everything anew.'
  await checkNames(sql, report, {
    query: `SELECT '', concat(before + 1, ' to ', seq - 1)
     FROM (SELECT seq, lag(seq) OVER (ORDER BY seq) AS before FROM ${table}) one WHERE seq > before + 1`,
    says: ({ names }) => `The table of changes has gaps: ${names}.`,
    fix: restart,
  })
  const damaged = new NameTally()
  let last: number | null = null
  for (let more = true; more;) {
    const rows: { seq: number; changes: string }[] = await sql.run<{ seq: number; changes: string }>(
      `SELECT seq::float8 AS seq, changes FROM ${table} WHERE seq > $1 ORDER BY seq LIMIT ${changesAtOnce}`,
      [last ?? -1],
    )
    for (const { seq, changes } of rows) if (!isList(changes)) damaged.add(String(seq))
    last = rows.at(-1)?.seq ?? last
    more = rows.length === changesAtOnce
  }
  if (damaged.count > 0)
    report.problem(
      `${damaged.count} changes cannot be read: ${damaged.names}.`,
      `Stop all instances, run DELETE FROM ${table}, and start them again.`,
    )
  if ((last ?? 0) !== seq)
    report.problem(
      `The last commit has the number ${seq}, but the last change ${last === null ? 'is missing' : `has the number ${last}`}.`,
      (last ?? 0) > seq
        ? `Commits fail. Stop all instances and restore the database from a backup.`
        : restart,
    )
  if (report.problems === before) report.ok(`The table of changes is whole up to commit ${seq}.`)
}

function isList(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text))
  } catch {
    return false
  }
}

const changesAtOnce = 500
