import { diffLines } from '../../../src/compare/line-diff.ts'
import { listLines } from '../../../src/compare/listed-lines.ts'
import type { ComparedSection } from '../../../src/compare/types.ts'

/** The parts of a template, or of one of its versions. */
export interface TemplateParts {
  subject: string | null
  html: string | null
  text: string | null
}

/** How one part of two versions differs. */
export interface PartDifference {
  label: 'Subject' | 'HTML' | 'Text'
  section: Omit<ComparedSection, 'name'>
}

/**
 * Compares two versions of a template line by line.
 *
 * @returns The parts that differ.
 */
export function compareVersions(before: TemplateParts, after: TemplateParts): PartDifference[] {
  const differing: PartDifference[] = []
  for (const [label, part] of [
    ['Subject', 'subject'],
    ['HTML', 'html'],
    ['Text', 'text'],
  ] as const) {
    const section = listLines(diffLines(toLines(before[part]), toLines(after[part])))
    if (!section.same) differing.push({ label, section })
  }
  return differing
}

/** An empty part has no lines. */
const toLines = (text: string | null): string[] => (text ? text.split(/\r?\n/) : [])
