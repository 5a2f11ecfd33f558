import { paced } from '../core/yield.ts'
import { diffLineSteps } from './line-diff.ts'
import { mailLineSteps, mailSections, type ComparedMail } from './mail-text.ts'
import { createMask } from './masks.ts'
import type { ComparedSection, MailComparison } from './types.ts'

/** How mails are compared. */
export interface CompareOptions {
  /** Whether ids, dates, tokens and codes count as the same. Default: true. */
  masked?: boolean | undefined
}

/**
 * Compares two mails part by part: header fields, structure, text, formatted HTML and attachments. The work yields to
 * the event loop.
 *
 * @param other  The one that `mail` is compared with, usually the earlier one.
 */
export async function compareMails(
  mail: ComparedMail & { id: string },
  other: ComparedMail & { id: string },
  { masked = true }: CompareOptions = {},
): Promise<MailComparison> {
  const before = await paced(mailLineSteps(other, {}, masked))
  const after = await paced(mailLineSteps(mail, {}, masked))
  const sections: ComparedSection[] = []
  for (const name of mailSections) {
    const lines = await paced(diffLineSteps(before.get(name) ?? [], after.get(name) ?? []))
    const count = (wanted: 'added' | 'removed'): number => lines.filter(({ kind }) => kind === wanted).length
    const [added, removed] = [count('added'), count('removed')]
    sections.push({
      name,
      same: added + removed === 0,
      added,
      removed,
      lines: lines.slice(0, maxLines).map(({ kind, text }) => ({ kind, text: text.slice(0, maxLineLength) })),
      clipped: lines.length > maxLines,
    })
  }
  return { id: mail.id, other: other.id, same: sections.every(({ same }) => same), sections }
}

const maxLines = 5000
const maxLineLength = 2000

/** Subjects with the same form are those of the same mail sent again: numbers, dates and codes in them may differ. */
export function subjectForm(subject: string): string {
  return createMask()(subject.slice(0, 1000)).replace(/\d{4,}/g, '[number]')
}
