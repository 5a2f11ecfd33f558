import type { ReportedTest } from '../report/hand-over.ts'

/**
 * The test that vitest runs, from what it hands to hooks, fixtures and matchers.
 *
 * @returns Null in other runners.
 */
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

/** Of an object that another program hands over; a function may have members too. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function'
  return isObject ? (value as Readonly<Record<string, unknown>>) : {}
}
