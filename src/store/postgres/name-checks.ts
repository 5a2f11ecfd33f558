import { NameTally, type Report } from '../doctor/findings.ts'
import { listedNames } from '../io-errors.ts'
import type { Connection } from './connection.ts'

/** A check of `doctor` by a statement that selects the partitions and names of what is wrong. */
interface NameCheck {
  readonly query: string
  readonly values?: readonly unknown[]
  says(found: NameTally): string
  readonly fix: string
}

/** Reports a problem if the statement of a check finds anything. */
export async function checkNames(sql: Connection, report: Report, check: NameCheck): Promise<void> {
  const found = await findNames(sql, check.query, check.values)
  if (found.count > 0) report.problem(check.says(found), check.fix)
}

/** The first few names that a statement finds, and how many there are. @param query  Selects partitions and names. */
export async function findNames(
  sql: Connection,
  query: string,
  values: readonly unknown[] = [],
): Promise<NameTally> {
  const rows = await sql.run<{ partition: string; name: string; count: number }>(
    `SELECT partition, name, (count(*) OVER ())::float8 AS count FROM (${query}) found (partition, name)
     LIMIT ${listedNames}`,
    values,
  )
  const first = rows.map(({ partition, name }) => shownName(partition, name))
  return new NameTally(first, rows[0]?.count)
}

/** A name, with its partition unless that is the one of the account `default`. */
export function shownName(partition: string, name: string): string {
  return partition === '' ? name : `${partition}: ${name}`
}
