import { diffLines, type DiffLine } from '../compare/line-diff.ts'
import { mailSections } from '../compare/listed-lines.ts'
import { mailLines, toText, type MailTextOptions } from '../compare/mail-text.ts'
import { suggest } from '../core/suggest.ts'
import type { Mail } from '../inbox/types.ts'
import { assertExpectation } from './expectation.ts'
import { UsageError } from '../core/caller.ts'
import type { Outcome } from './outcome.ts'
import { assertMail } from './received.ts'
import { runnerSnapshots } from './runner-snapshots.ts'

/** Options of a snapshot of a mail. */
export interface MailSnapshotOptions extends MailTextOptions {
  /** Tells several snapshots of one test apart. Default: they are numbered. */
  name?: string | undefined
}

/**
 * A mail as text that is the same each time the same mail is sent: the header fields that matter to recipients, the
 * structure, the text, the HTML formatted, and the attachments by name, type and checksum. Ids, dates, tokens, codes
 * and ports of this machine are masked.
 *
 * @throws TypeError for an unknown option, or if `mail` is not a mail.
 * @example
 * // node:test, from Node 22.3 on
 * t.assert.snapshot(mailSnapshot(mail))
 */
export function mailSnapshot(mail: Mail, options: MailSnapshotOptions = {}): string {
  assertMail(mail, 'mailSnapshot')
  assertSnapshotOptions(options)
  return toText(mailLines(mail, options))
}

/** Compares a mail with its snapshot, which vitest and Jest store like any other. @param context  The `this` of the matcher. */
export function checkSnapshot(context: unknown, mail: Mail, options: MailSnapshotOptions = {}): Outcome {
  const advice = ' With another runner, compare the text of mailSnapshot(mail).'
  const { command, match } = runnerSnapshots(context, 'toMatchMailSnapshot', advice)
  const received = mailSnapshot(mail, options)
  const { pass, key, expected } = match(received, options.name)
  return { pass, message: () => sayDifference({ mail, key, expected, received, command }) }
}

/** The message of a failed comparison: the lines that differ, and the command that accepts them, as `npx jest a.test.js -u`. */
export function sayDifference(found: {
  mail: Pick<Mail, 'id'>
  key: string
  expected: string | null
  received: string
  command: string
}): string {
  const { mail, key, expected, received, command } = found
  if (expected === null)
    return `There is no snapshot \`${key}\` for the mail ${mail.id}, and this run writes none. Write it, look at it and commit it: ${command}`
  const lines = diffLines(expected.split('\n'), received.split('\n'))
  return [
    `The mail ${mail.id} differs from its snapshot \`${key}\` (- snapshot, + mail):`,
    '',
    ...changedLines(lines),
    '',
    `Accept the change: ${command}`,
  ].join('\n')
}

/** Refuses unknown options and wrong values. @throws TypeError. */
function assertSnapshotOptions(options: unknown): asserts options is MailSnapshotOptions {
  const members = { name: 'text', except: 'texts', headers: 'texts', mask: 'patterns' } as const
  assertExpectation(options, members, 'A snapshot of a mail')
  for (const one of (options as MailSnapshotOptions).except ?? []) {
    if (mailSections.includes(one)) continue
    const near = suggest(one, mailSections)
    const hint = near ? `Did you mean "${near}"?` : `Known: ${mailSections.join(', ')}.`
    throw new UsageError(`A snapshot of a mail: except has no part ${JSON.stringify(one)}. ${hint}`)
  }
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
    written.push(`${diffMarks[kind]} ${text}`)
    if (written.length === maxDiffLines)
      return [...written, `  … (only the first ${maxDiffLines} lines are shown)`]
  }
  return written
}

const diffMarks: Readonly<Record<DiffLine['kind'], string>> = { same: ' ', added: '+', removed: '-' }
/** Unchanged lines shown on each side of a change. */
const around = 2
const maxDiffLines = 200
