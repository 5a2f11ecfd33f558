import { type Report, NameTally } from '../doctor/findings.ts'
import type { Connection } from './connection.ts'
import { checkNames } from './name-checks.ts'
import { describeHolder } from './membership.ts'

/** Says which instances use the schema, and which one is the leader. */
export async function inspectInstances(sql: Connection, report: Report): Promise<void> {
  const rows = await sql.run<{ holder: string; has_turn: boolean; lives: boolean }>(
    `SELECT holder, has_turn, until > clock_timestamp() AS lives FROM ${sql.name('instances')}
     ORDER BY has_turn DESC, until DESC LIMIT 1000`,
  )
  const leaders = rows.filter(({ has_turn }) => has_turn)
  if (leaders.length > 1)
    report.problem(
      `${leaders.length} instances are leaders: ${leaders.map(({ holder }) => describeHolder(holder)).join(', ')}. Mail may be delivered twice.`,
      `Stop all instances, run DELETE FROM ${sql.name('instances')}, and start them again.`,
    )
  const living = rows.filter(({ lives }) => lives)
  if (living.length === 0) report.ok('No instance uses the database.')
  else
    report.note(
      `Instances that use the database: ${living.map(({ holder }) => describeHolder(holder)).join(', ')}.`,
    )
  const [leader] = leaders
  if (leaders.length > 1 || (!leader && living.length === 0)) return
  if (!leader) report.note('No instance is the leader; one takes over within a second.')
  else if (leader.lives) report.ok(`The leader is ${describeHolder(leader.holder)}.`)
  else
    report.note(
      `The leader was ${describeHolder(leader.holder)}, which did not stop properly; the next start takes over.`,
    )
}

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
