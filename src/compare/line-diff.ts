/** One line of a comparison: in both texts, only in the first, or only in the second. */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added'
  text: string
}

/**
 * The shortest way from one list of lines to another (Myers: "An O(ND) Difference Algorithm"). Lists that
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
    ...(edits(a, b) ?? [
      ...a.map((text): DiffLine => ({ kind: 'removed', text })),
      ...b.map((text): DiffLine => ({ kind: 'added', text })),
    ]),
    ...before.slice(endBefore).map(same),
  ]
}

/** Bounds the time and the memory of a comparison: 1,000 edits take 4 MB. */
export const maxEdits = 1000

function edits(a: readonly string[], b: readonly string[]): DiffLine[] | null {
  /** For each number of edits, how far each diagonal reaches, from -d to d. */
  const trace: Int32Array[] = []
  const most = Math.min(a.length + b.length, maxEdits)
  for (let d = 0; d <= most; d++) {
    const last = trace.at(-1)
    const reach = new Int32Array(2 * d + 1)
    trace.push(reach)
    for (let k = -d; k <= d; k += 2) {
      let x = last ? step(last, d, k) : 0
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      reach[k + d] = x
      if (x >= a.length && x - k >= b.length) return wayBack(trace, a, b)
    }
  }
  return null
}

/** Where a diagonal begins after one more edit: an added line, or a removed one. */
function step(last: Int32Array, d: number, k: number): number {
  const at = (diagonal: number): number => last[diagonal + d - 1] ?? -1
  if (k === -d) return at(k + 1)
  if (k === d) return at(k - 1) + 1
  return isAdded(at, k) ? at(k + 1) : at(k - 1) + 1
}

function isAdded(at: (diagonal: number) => number, k: number): boolean {
  return at(k - 1) < at(k + 1)
}

function wayBack(trace: readonly Int32Array[], a: readonly string[], b: readonly string[]): DiffLine[] {
  const lines: DiffLine[] = []
  let x = a.length
  let y = b.length
  for (let d = trace.length - 1; d > 0; d--) {
    const last = trace[d - 1] ?? new Int32Array()
    const at = (diagonal: number): number => last[diagonal + d - 1] ?? -1
    const k = x - y
    const added = k === -d || (k !== d && isAdded(at, k))
    const before = added ? k + 1 : k - 1
    const beforeX = at(before)
    const beginX = added ? beforeX : beforeX + 1
    while (x > beginX) lines.push({ kind: 'same', text: a[--x] ?? '' })
    y = beforeX - before
    lines.push(added ? { kind: 'added', text: b[y] ?? '' } : { kind: 'removed', text: a[beforeX] ?? '' })
    x = beforeX
  }
  while (x > 0) lines.push({ kind: 'same', text: a[--x] ?? '' })
  return lines.reverse()
}
