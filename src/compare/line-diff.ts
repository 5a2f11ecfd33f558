/** One line of a comparison: in both texts, only in the first, or only in the second. */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added'
  text: string
}

/**
 * The shortest edit script from one list of lines to another (Myers: "An O(ND) Difference Algorithm"). Lists that
 * differ in more than {@link maxEdits} lines are given as all removed, then all added, but for their common ends.
 */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let [endBefore, endAfter] = [before.length, after.length]
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) {
    endBefore--
    endAfter--
  }
  const same = (text: string): DiffLine => ({ kind: 'same', text })
  const a = before.slice(start, endBefore)
  const b = after.slice(start, endAfter)
  return [
    ...before.slice(0, start).map(same),
    ...(shortestEdits(a, b) ?? [
      ...a.map((text): DiffLine => ({ kind: 'removed', text })),
      ...b.map((text): DiffLine => ({ kind: 'added', text })),
    ]),
    ...before.slice(endBefore).map(same),
  ]
}

/** Bounds the time and the memory of a comparison: 1,000 edits take 4 MB. */
export const maxEdits = 1000

/**
 * The lines of the shortest edit script; null if it has more than {@link maxEdits} edits.
 *
 * Looks how far one edit leads, then two, and so on. Places with as many edits are told apart by their diagonal, the number of
 * lines taken of `a` less that of `b`: a removed line leads to the next diagonal, an added line to the one before, and equal
 * lines stay on it. On each diagonal only the place that is furthest is kept, because it is never worse than the others.
 */
function shortestEdits(a: readonly string[], b: readonly string[]): DiffLine[] | null {
  /** For each number of edits, how many lines of `a` are taken at most on each diagonal, from `-count` to `count`. */
  const furthest: Int32Array[] = []
  const maxCount = Math.min(a.length + b.length, maxEdits)
  for (let count = 0; count <= maxCount; count++) {
    const last = furthest.at(-1)
    const reached = new Int32Array(2 * count + 1)
    furthest.push(reached)
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      let taken = last ? lastEdit(last, count, diagonal).after : 0
      while (taken < a.length && taken - diagonal < b.length && a[taken] === b[taken - diagonal]) taken++
      reached[diagonal + count] = taken
      if (taken >= a.length && taken - diagonal >= b.length) return toLines(furthest, a, b)
    }
  }
  return null
}

interface Edit {
  readonly isAdded: boolean
  /** The diagonal that it begins on. */
  readonly from: number
  /** How many lines of `a` are taken before it, and after it. */
  readonly before: number
  readonly after: number
}

/** The edit that leads furthest on a diagonal. @param last  What the edits before it reached. */
function lastEdit(last: Int32Array, count: number, diagonal: number): Edit {
  const at = (other: number): number => last[other + count - 1] ?? -1
  const isAdded = diagonal === -count || (diagonal !== count && at(diagonal - 1) < at(diagonal + 1))
  const from = isAdded ? diagonal + 1 : diagonal - 1
  return { isAdded, from, before: at(from), after: isAdded ? at(from) : at(from) + 1 }
}

/** The lines of the edit script to the end of both lists, read from its end. */
function toLines(furthest: readonly Int32Array[], a: readonly string[], b: readonly string[]): DiffLine[] {
  const lines: DiffLine[] = []
  let taken = a.length
  let diagonal = a.length - b.length
  for (let count = furthest.length - 1; count > 0; count--) {
    const { isAdded, from, before, after } = lastEdit(
      furthest[count - 1] ?? new Int32Array(),
      count,
      diagonal,
    )
    while (taken > after) lines.push({ kind: 'same', text: a[--taken] ?? '' })
    const text = (isAdded ? b[before - from] : a[before]) ?? ''
    lines.push({ kind: isAdded ? 'added' : 'removed', text })
    taken = before
    diagonal = from
  }
  while (taken > 0) lines.push({ kind: 'same', text: a[--taken] ?? '' })
  return lines.reverse()
}
