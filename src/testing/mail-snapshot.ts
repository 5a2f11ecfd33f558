import { relative } from 'node:path'
import { diffLineSteps, type DiffLine } from '../compare/line-diff.ts'
import { mailLineSteps, mailSections, toText, type MailTextOptions } from '../compare/mail-text.ts'
import { assertArguments } from '../core/known-options.ts'
import { suggest } from '../core/suggest.ts'
import { unpaced } from '../core/yield.ts'
import type { Mail } from '../inbox/types.ts'
import { assertExpectation } from './expectation.ts'
import { usageError } from './lines.ts'
import { assertMail } from './mails.ts'
import type { Outcome } from './outcome.ts'
import { membersOf, namesOf } from './vitest-test.ts'

/** What a snapshot of a mail has. */
export interface MailSnapshotOptions extends MailTextOptions {
  /** Tells several snapshots of one test apart. Default: they are numbered. */
  name?: string | undefined
}

/**
 * A mail as text that is the same each time the same mail is sent: the header fields that matter to recipients, the
 * structure, the text, the HTML formatted, and the attachments by name, type and checksum. Ids, dates, tokens, codes
 * and ports of this machine are masked.
 *
 * @throws TypeError for an unknown option, or for what is no mail.
 * @example
 * // node:test, from Node 22.3 on
 * t.assert.snapshot(mailSnapshot(mail))
 */
export function mailSnapshot(mail: Mail, options: MailSnapshotOptions = {}): string {
  assertArguments(arguments, 2, 'mailSnapshot()')
  assertMail(mail, 'mailSnapshot')
  assertSnapshotOptions(options)
  return toText(unpaced(mailLineSteps(mail, options)))
}

/**
 * Compares a mail with its snapshot, which vitest and Jest keep as any other.
 *
 * @param context  The `this` of the matcher.
 */
export function checkSnapshot(context: unknown, mail: Mail, options: MailSnapshotOptions = {}): Outcome {
  const snapshots = snapshotsOf(context)
  if (membersOf(context)['isNot'] === true)
    throw usageError(
      'toMatchMailSnapshot cannot be used with "not": leave it out, or compare mailSnapshot(mail).',
    )
  const received = mailSnapshot(mail, options)
  const { pass, key, expected } = snapshots.match(received, options.name)
  return { pass, message: () => sayDifference({ mail, key, expected, received, ...snapshots }) }
}

/** The command that writes the snapshots of a test file anew. */
export interface SnapshotCommand {
  /** As `npx vitest run a.test.js -u`. */
  command: string
}

/** What a failed comparison says: the lines that differ, and the command that accepts them. */
export function sayDifference(
  found: { mail: Pick<Mail, 'id'>; key: string; expected: string | null; received: string } & SnapshotCommand,
): string {
  const { mail, key, expected, received, command } = found
  if (expected === null)
    return `There is no snapshot \`${key}\` for the mail ${mail.id}, and this run writes none. Write it, look at it and commit it: ${command}`
  const lines = unpaced(diffLineSteps(expected.split('\n'), received.split('\n')))
  return [
    `The mail ${mail.id} differs from its snapshot \`${key}\` (- snapshot, + mail):`,
    '',
    ...changedLines(lines),
    '',
    `Accept the change: ${command}`,
  ].join('\n')
}

/** Refuses options that are not known or cannot be. @throws TypeError. */
function assertSnapshotOptions(options: unknown): asserts options is MailSnapshotOptions {
  const members = { name: 'text', except: 'texts', headers: 'texts', mask: 'patterns' } as const
  assertExpectation(options, members, 'A snapshot of a mail')
  for (const one of (options as MailSnapshotOptions).except ?? []) {
    if (mailSections.includes(one)) continue
    const near = suggest(one, mailSections)
    const hint = near ? `Did you mean "${near}"?` : `Known: ${mailSections.join(', ')}.`
    throw usageError(`A snapshot of a mail: except has no part ${JSON.stringify(one)}. ${hint}`)
  }
}

interface Snapshots extends SnapshotCommand {
  match(received: string, name?: string): { pass: boolean; key: string; expected: string | null }
}

/** The snapshots of the runner, by what it hands to matchers. @throws TypeError in another runner. */
function snapshotsOf(context: unknown): Snapshots {
  const { snapshotState, task, testPath, currentTestName, currentConcurrentTestName, currentTestIdentity } =
    membersOf(context)
  const match =
    typeof snapshotState === 'object' && snapshotState !== null && Reflect.get(snapshotState, 'match')
  if (typeof match !== 'function') throw usageError(noSnapshots)
  const vitestTask = membersOf(task)
  const isVitest = typeof vitestTask['id'] === 'string'
  const name = isVitest ? namesOf(vitestTask) : String(called(currentConcurrentTestName) ?? currentTestName)
  const file = typeof testPath === 'string' ? relative(process.cwd(), testPath) : ''
  return {
    command: isVitest ? `npx vitest run ${file} -u` : `npx jest ${file} -u`,
    match(received, hint) {
      const about = isVitest
        ? { testId: vitestTask['id'], testName: hint ? `${name} > ${hint}` : name }
        : { testIdentity: called(currentTestIdentity), testName: hint ? `${name}: ${hint}` : name }
      const result: unknown = match.call(snapshotState, { ...about, received, isInline: false })
      const { pass, key, expected } = membersOf(result)
      return { pass: pass === true, key: String(key), expected: toExpected(expected) }
    },
  }
}

const noSnapshots =
  'toMatchMailSnapshot needs the snapshots of a test: those of vitest or Jest, or in Playwright the expect of withMailMatchers() of localpost/playwright. With another runner, compare the text of mailSnapshot(mail).'

/** A stored snapshot is the text in quotes, on lines of its own. */
function toExpected(stored: unknown): string | null {
  if (typeof stored !== 'string' || stored === '') return null
  return stored.trim().replace(/^"|"$/g, '')
}

/** Lines that changed, with two around them. */
function changedLines(lines: readonly DiffLine[]): string[] {
  const shown = new Set<number>()
  for (const [at, { kind }] of lines.entries()) {
    if (kind === 'same') continue
    for (let near = at - around; near <= at + around; near++) shown.add(near)
  }
  const written: string[] = []
  let last = -1
  for (const [at, { kind, text }] of lines.entries()) {
    if (!shown.has(at)) continue
    if (at > last + 1) written.push('  …')
    last = at
    written.push(`${kind === 'same' ? ' ' : kind === 'added' ? '+' : '-'} ${text}`)
    if (written.length === maxLines) return [...written, `  … (only the first ${maxLines} lines are shown)`]
  }
  return written
}

const around = 2
const maxLines = 200

function called(value: unknown): unknown {
  return typeof value === 'function' ? (value as () => unknown)() : undefined
}
