import { expect, it } from 'vitest'
import { diffLines as diff, maxEdits, type DiffLine } from '../../src/compare/line-diff.ts'
import { randomOf } from '../support/random.ts'

const side = (lines: readonly DiffLine[], not: DiffLine['kind']): string[] =>
  lines.filter(({ kind }) => kind !== not).map(({ text }) => text)
const edits = (lines: readonly DiffLine[]): number => lines.filter(({ kind }) => kind !== 'same').length

/** The length of the shortest edit script, by the table of the longest common subsequence. */
function fewestEdits(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => b.map(() => 0).concat(0))
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++)
      table[i]![j] =
        a[i - 1] === b[j - 1] ? table[i - 1]![j - 1]! + 1 : Math.max(table[i - 1]![j]!, table[i]![j - 1]!)
  return a.length + b.length - 2 * table[a.length]![b.length]!
}

it('gives both texts and as few changes as possible, for any two texts', () => {
  const random = randomOf(9)
  for (let round = 0; round < 3000; round++) {
    const lines = (): string[] =>
      Array.from({ length: Math.floor(random() * 12) }, () => 'abc'[Math.floor(random() * 3)]!)
    const [before, after] = [lines(), lines()]
    const found = diff(before, after)
    const said = `${before.join()} → ${after.join()}`
    expect(side(found, 'added'), said).toEqual(before)
    expect(side(found, 'removed'), said).toEqual(after)
    expect(edits(found), said).toBe(fewestEdits(before, after))
  }
})

it('gives up on texts that differ in too many lines, and still gives both', () => {
  const before = ['same', ...Array.from({ length: 20_000 }, (_, i) => `a${i}`), 'end']
  const after = ['same', ...Array.from({ length: 20_000 }, (_, i) => `b${i}`), 'end']
  const found = diff(before, after)
  expect(side(found, 'added')).toEqual(before)
  expect(side(found, 'removed')).toEqual(after)
  expect(found.at(0)).toEqual({ kind: 'same', text: 'same' })
  expect(found.at(-1)).toEqual({ kind: 'same', text: 'end' })
})

it('finds many changes in long texts', () => {
  const before = Array.from({ length: 30_000 }, (_, i) => `line ${i % 700}`)
  const after = before.map((line, i) => (i % 100 === 0 ? `${line}!` : line))
  expect(edits(diff(before, after))).toBe(600)
  expect(600).toBeLessThan(maxEdits)
})
