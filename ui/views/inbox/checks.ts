import type { CheckReport, CheckRun, Finding } from '../../../src/checks/types.ts'
import type { Tone } from '../../composables/words.ts'

/** A check with what it found. */
export interface CheckedItem extends CheckRun {
  findings: Finding[]
}

/** The checks with the same result. */
export interface CheckGroup {
  key: (typeof groups)[number]['key']
  tone: Tone
  words: string
  mark: string
  /** What a screen reader says of each check. */
  said: string
  /** Whether it is one line until it is opened: nothing is wrong. */
  folds: boolean
  checks: CheckedItem[]
}

/** The results of checks, in order of importance. */
const groups = [
  { key: 'error', tone: 'bad', words: 'To fix', mark: '×', said: 'Fails', folds: false },
  { key: 'warning', tone: 'warn', words: 'To look at', mark: '!', said: 'Warning', folds: false },
  { key: 'note', tone: 'info', words: 'Good to know', mark: 'i', said: 'For information', folds: false },
  { key: 'passed', tone: 'good', words: 'Fine', mark: '✓', said: 'Passes', folds: true },
  { key: 'unchecked', tone: 'quiet', words: 'Not checked', mark: '–', said: 'Not checked', folds: true },
] as const

/** The checks of a report by how they ended. What is a note about mail clients has a section of its own. */
export function groupsOf({ findings, checks }: CheckReport): CheckGroup[] {
  const items = checks
    .filter(({ id, severity }) => id !== 'client-support' || severity === 'warning')
    .map((run) => ({ ...run, findings: findings.filter(({ id }) => id === run.id) }))
  return groups
    .map((group) => ({ ...group, checks: items.filter((item) => keyOf(item) === group.key) }))
    .filter((group) => group.checks.length > 0)
}

function keyOf({ severity, outcome }: CheckRun): CheckGroup['key'] {
  return severity ?? (outcome === 'passed' ? 'passed' : 'unchecked')
}
