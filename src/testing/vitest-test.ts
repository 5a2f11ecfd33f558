import { membersOf } from '../core/members.ts'
import type { ReportedTest } from '../report/reported.ts'

/** The test that vitest runs, from what it hands to hooks, fixtures and matchers. @returns Null in other runners. */
export function vitestTest(context: unknown): (ReportedTest & { id: string }) | null {
  const task = membersOf(membersOf(context)['task'])
  const { filepath, projectName } = membersOf(task['file'])
  const { id } = task
  if (typeof id !== 'string') return null
  const attempt = Number(membersOf(task['result'])['retryCount'] ?? 0)
  const project = typeof projectName === 'string' && projectName !== '' ? `[${projectName}] ` : ''
  return { id, file: String(filepath), name: `${project}${namesOf(task)}`, attempt }
}

/** Suites and test, as vitest names snapshots. */
export function namesOf(task: Readonly<Record<string, unknown>>): string {
  const names: unknown[] = []
  for (let one = task; typeof one['name'] === 'string' && names.length < 100; one = membersOf(one['suite']))
    names.unshift(one['name'])
  return names.join(' > ')
}
