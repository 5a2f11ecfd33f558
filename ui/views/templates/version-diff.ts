import { diffLineSteps, type DiffLine } from '../../../src/compare/line-diff.ts'
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
 * Compares two versions of a template line by line, in short turns, so that the page stays responsive.
 *
 * @returns The parts that differ.
 */
export async function compareVersions(
  before: TemplateParts,
  after: TemplateParts,
  signal: AbortSignal,
): Promise<PartDifference[]> {
  const differing: PartDifference[] = []
  for (const [label, part] of [
    ['Subject', 'subject'],
    ['HTML', 'html'],
    ['Text', 'text'],
  ] as const) {
    const lines = await linesOf(diffLineSteps(toLines(before[part]), toLines(after[part])), signal)
    const section = listLines(lines)
    if (!section.same) differing.push({ label, section })
  }
  return differing
}

/** An empty part has no lines. */
const toLines = (text: string | null): string[] => (text ? text.split(/\r?\n/) : [])

async function linesOf(
  work: Generator<undefined, DiffLine[]>,
  signal: AbortSignal,
): Promise<readonly DiffLine[]> {
  for (let began = performance.now(); ;) {
    signal.throwIfAborted()
    const step = work.next()
    if (step.done) return step.value
    if (performance.now() - began < turnMs) continue
    await new Promise((resolve) => setTimeout(resolve))
    began = performance.now()
  }
}

const turnMs = 12
