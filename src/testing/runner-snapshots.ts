import { relative } from 'node:path'
import { membersOf } from '../core/members.ts'
import { UsageError } from '../core/caller.ts'
import { namesOf } from './vitest-test.ts'

/** The snapshot settings of vitest or Jest for the running test. */
export interface RunnerSnapshots {
  /** The command that updates the snapshots of the test file, such as `npx vitest run a.test.js -u`. */
  command: string
  /** Suites and test. */
  testName: string
  /** The test file. */
  path: string
  /** The snapshots that are written: those that differ or are missing, those that are missing, or none. */
  writes: 'all' | 'new' | 'none'
  /** Compares a text with the stored one, or stores it. */
  match(received: string, name?: string): { pass: boolean; key: string; expected: string | null }
}

/**
 * The snapshots of the runner, by what it hands to matchers.
 *
 * @param context  The `this` of the matcher.
 * @param matcher  Its name, for errors.
 * @param advice  A sentence for users of another runner, with a space before it; `""` for none.
 * @throws TypeError in another runner, and for `not`.
 */
export function runnerSnapshots(context: unknown, matcher: string, advice: string): RunnerSnapshots {
  const matching = membersOf(context)
  const { snapshotState, task, testPath, isNot } = matching
  const { currentTestName, currentConcurrentTestName, currentTestIdentity } = matching
  const { match, _updateSnapshot: writes } = membersOf(snapshotState)
  if (typeof match !== 'function')
    throw new UsageError(
      `${matcher} needs the snapshots of a test: those of vitest or Jest, or in Playwright the expect of withMailMatchers() of localpost/playwright.${advice}`,
    )
  if (isNot === true) throw new UsageError(`${matcher} cannot be used with "not": leave it out.`)
  const vitestTask = membersOf(task)
  const isVitest = typeof vitestTask['id'] === 'string'
  const testName = isVitest
    ? namesOf(vitestTask)
    : String(called(currentConcurrentTestName) ?? currentTestName)
  const path = typeof testPath === 'string' ? testPath : ''
  const file = path === '' ? '' : relative(process.cwd(), path)
  return {
    command: isVitest ? `npx vitest run ${file} -u` : `npx jest ${file} -u`,
    testName,
    path,
    writes: writes === 'all' || writes === 'new' ? writes : 'none',
    match(received, hint) {
      const about = isVitest
        ? { testId: vitestTask['id'], testName: hint ? `${testName} > ${hint}` : testName }
        : { testIdentity: called(currentTestIdentity), testName: hint ? `${testName}: ${hint}` : testName }
      const result: unknown = match.call(snapshotState, { ...about, received, isInline: false })
      const { pass, key, expected } = membersOf(result)
      return { pass: pass === true, key: String(key), expected: toExpected(expected) }
    },
  }
}

/** A stored snapshot is the text in quotes, on lines of its own. */
function toExpected(stored: unknown): string | null {
  if (typeof stored !== 'string' || stored === '') return null
  return stored.trim().replace(/^"|"$/g, '')
}

function called(value: unknown): unknown {
  return typeof value === 'function' ? (value as () => unknown)() : undefined
}
