import type { JobThread } from '../core/job-thread.ts'
import { pick } from '../core/pick.ts'
import { diffLines } from './line-diff.ts'
import { listLines, mailSections } from './listed-lines.ts'
import { mailLines, type ComparedMail, type MailLines } from './mail-text.ts'
import type { ComparedSection, MailComparison } from './types.ts'

/** How mails are compared. */
export interface CompareOptions {
  /** Whether ids, dates, tokens and codes count as the same. Default: true. */
  masked?: boolean | undefined
  /** Ends the comparison; it then throws the signal's reason. */
  signal?: AbortSignal | undefined
}

/**
 * Compares two mails part by part: header fields, structure, text, formatted HTML and attachments. Long ones are compared
 * in the thread.
 *
 * @param readAfter  Reads the mail. It is called after the other mail was read and is no longer needed, so that only one of
 *   two large mails is in memory.
 * @param readBefore  Reads the one that it is compared with, usually the earlier one.
 */
export async function compareMails(
  thread: JobThread<typeof compareJobs>,
  readAfter: () => Promise<ComparedMail & { id: string }>,
  readBefore: () => Promise<ComparedMail & { id: string }>,
  { masked = true, signal }: CompareOptions = {},
): Promise<MailComparison> {
  const linesOf = async (read: typeof readAfter) => {
    const { id, ...whole } = await read()
    const size = whole.html.length + whole.text.length
    const compared = pick(whole, comparedMembers)
    return { id, size, lines: await thread.run('mailLines', [compared, {}, masked], { size, signal }) }
  }
  const before = await linesOf(readBefore)
  const after = await linesOf(readAfter)
  const size = before.size + after.size
  const sections = await thread.run('compareLines', [before.lines, after.lines], { size, signal })
  return { id: after.id, other: before.id, same: sections.every(({ same }) => same), sections }
}

const comparedMembers = ['from', 'subject', 'bcc', 'headers', 'html', 'text', 'codes', 'attachments'] as const

function compareLines(before: MailLines, after: MailLines): ComparedSection[] {
  return mailSections.map((name) => {
    const lines = diffLines(before.get(name) ?? [], after.get(name) ?? [])
    return { name, ...listLines(lines) }
  })
}

/** Comparing mails as work of the thread. */
export const compareJobs: { mailLines: typeof mailLines; compareLines: typeof compareLines } = {
  mailLines,
  compareLines,
}
