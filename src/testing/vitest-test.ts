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
  // The limit ends the loop if a suite contains itself.
  for (let at = task; typeof at['name'] === 'string' && names.length < 100; at = membersOf(at['suite']))
    names.unshift(at['name'])
  return names.join(' > ')
}
