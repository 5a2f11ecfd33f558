import type { Report } from '../doctor/findings.ts'
import type { Connection } from './connection.ts'
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
