import { diffLines } from './line-diff.ts'
import { listLines } from './listed-lines.ts'
import { mailLines, mailSections, type ComparedMail, type MailSection } from './mail-text.ts'
import { createMask } from './masks.ts'
import type { ComparedSection, MailComparison } from './types.ts'

/** How mails are compared. */
export interface CompareOptions {
  /** Whether ids, dates, tokens and codes count as the same. Default: true. */
  masked?: boolean | undefined
  /** Ends the comparison; it then throws the signal's reason. */
  signal?: AbortSignal | undefined
}

/**
 * Compares two mails part by part: header fields, structure, text, formatted HTML and attachments.
 *
 * @param mail  Reads the mail. It is called after the other mail was read and is no longer needed, so that only one of two
 *   large mails is in memory.
 * @param other  Reads the one that it is compared with, usually the earlier one.
 */
export async function compareMails(
  mail: () => Promise<ComparedMail & { id: string }>,
  other: () => Promise<ComparedMail & { id: string }>,
  { masked = true, signal }: CompareOptions = {},
): Promise<MailComparison> {
  const linesOf = async (
    read: () => Promise<ComparedMail & { id: string }>,
  ): Promise<{ id: string; lines: Map<MailSection, string[]> }> => {
    const one = await read()
    signal?.throwIfAborted()
    return { id: one.id, lines: mailLines(one, {}, masked) }
  }
  const before = await linesOf(other)
  const after = await linesOf(mail)
  const sections: ComparedSection[] = []
  for (const name of mailSections) {
    const lines = diffLines(before.lines.get(name) ?? [], after.lines.get(name) ?? [])
    sections.push({ name, ...listLines(lines) })
  }
  return { id: after.id, other: before.id, same: sections.every(({ same }) => same), sections }
}

/** Subjects with the same form are those of the same mail sent again: numbers, dates and codes in them may differ. */
export function subjectForm(subject: string): string {
  return createMask()(subject.slice(0, 1000)).replace(/\d{4,}/g, '[number]')
}
