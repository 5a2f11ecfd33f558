import type { DiffLine } from './line-diff.ts'
import type { ComparedSection } from './types.ts'

/** The lines of a comparison as they are answered and shown: a bounded number, each cut to a bounded length. */
export function listLines(lines: readonly DiffLine[]): Omit<ComparedSection, 'name'> {
  const count = (wanted: DiffLine['kind']): number => lines.filter(({ kind }) => kind === wanted).length
  const [added, removed] = [count('added'), count('removed')]
  return {
    same: added + removed === 0,
    added,
    removed,
    lines: lines
      .slice(0, maxListedLines)
      .map(({ kind, text }) => ({ kind, text: text.slice(0, maxLineLength) })),
    clipped: lines.length > maxListedLines,
  }
}

/** How many lines of a section are listed. */
export const maxListedLines = 5000
/** How many characters of a line are listed. */
export const maxLineLength = 2000

/** The parts of a mail that are compared, in their order. */
export const mailSections = ['headers', 'structure', 'text', 'html', 'attachments'] as const
