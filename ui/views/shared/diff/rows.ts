import type { ComparedLine } from '../../../../src/compare/types.ts'

/** One row of a comparison: a line of the older mail, of the newer one, or of both. */
export interface DiffRow {
  kind: 'same' | 'changed'
  /** Null if only the newer mail has a line. */
  before: LinePart[] | null
  /** Null if only the older mail has a line. */
  after: LinePart[] | null
}

/** A piece of a line, and whether it differs from the line beside it. */
export interface LinePart {
  text: string
  isChanged: boolean
}

/** A folded run of equal lines, or rows. */
export type DiffBlock = { kind: 'rows'; rows: DiffRow[] } | { kind: 'folded'; rows: DiffRow[] }

/**
 * The lines of a comparison side by side: removed lines beside the added ones that follow them. Of long runs of equal lines
 * only those around a change stay unfolded.
 */
export function toBlocks(lines: readonly ComparedLine[]): DiffBlock[] {
  const blocks: DiffBlock[] = []
  const push = (kind: DiffBlock['kind'], rows: DiffRow[]): void => {
    const last = blocks.at(-1)
    if (rows.length === 0) return
    if (last?.kind === 'rows' && kind === 'rows') last.rows.push(...rows)
    else blocks.push({ kind, rows })
  }
  for (let at = 0; at < lines.length;) {
    const isSame = lines[at]?.kind === 'same'
    let end = at
    while (end < lines.length && (lines[end]?.kind === 'same') === isSame) end++
    const run = lines.slice(at, end)
    if (!isSame) push('rows', pairs(run))
    else {
      const rows = run.map(({ text }): DiffRow => ({ kind: 'same', before: whole(text), after: whole(text) }))
      const head = at === 0 ? 0 : context
      const tail = end === lines.length ? 0 : context
      const isLong = rows.length > head + tail + context
      push('rows', isLong ? rows.slice(0, head) : rows)
      if (isLong) {
        push('folded', rows.slice(head, rows.length - tail))
        push('rows', rows.slice(rows.length - tail))
      }
    }
    at = end
  }
  return blocks
}

/** How many equal lines stay around a change. */
const context = 3

function pairs(run: readonly ComparedLine[]): DiffRow[] {
  const textsOf = (kind: ComparedLine['kind']): string[] =>
    run.filter((line) => line.kind === kind).map(({ text }) => text)
  const [before, after] = [textsOf('removed'), textsOf('added')]
  return Array.from({ length: Math.max(before.length, after.length) }, (_, at): DiffRow => {
    const [old, now] = [before[at], after[at]]
    if (old === undefined || now === undefined)
      return { kind: 'changed', before: partOf(old), after: partOf(now) }
    return { kind: 'changed', ...partsOf(wordsOf(old), wordsOf(now)) }
  })
}

const whole = (text: string): LinePart[] => [{ text, isChanged: false }]
const partOf = (text: string | undefined): LinePart[] | null => (text === undefined ? null : whole(text))

/** The common start and end of two lines, and the different parts between. */
function partsOf(old: readonly string[], now: readonly string[]): Pick<DiffRow, 'before' | 'after'> {
  const most = Math.min(old.length, now.length)
  let start = 0
  while (start < most && old[start] === now[start]) start++
  let end = 0
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end++
  const split = (words: readonly string[]): LinePart[] =>
    [
      { text: words.slice(0, start).join(''), isChanged: false },
      { text: words.slice(start, words.length - end).join(''), isChanged: true },
      { text: words.slice(words.length - end).join(''), isChanged: false },
    ].filter(({ text }) => text !== '')
  return { before: split(old), after: split(now) }
}

const wordsOf = (line: string): readonly string[] => line.match(/[\p{L}\p{N}_]+|\s+|./gsu) ?? []
