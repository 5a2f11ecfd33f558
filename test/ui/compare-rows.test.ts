import { describe, expect, it } from 'vitest'
import type { ComparedLine } from '../../src/compare/types.ts'
import { toBlocks, type DiffRow } from '../../ui/views/shared/diff/rows.ts'

const line = (written: string): ComparedLine => {
  const kind = { '-': 'removed', '+': 'added', ' ': 'same' } as const
  return { kind: kind[written[0] as '-' | '+' | ' '], text: written.slice(1) }
}
/** `old | new`, what differs in brackets. */
const shown = ({ before, after }: DiffRow): string =>
  [before, after]
    .map((parts) => parts?.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('') ?? '∅')
    .join(' | ')
const rowsOf = (...lines: string[]): string[] =>
  toBlocks(lines.map(line)).flatMap(({ rows }) => rows.map(shown))

describe('the rows of a comparison', () => {
  it.each([
    [[' a'], ['a | a']],
    [['-a'], ['a | ∅']],
    [['+a'], ['∅ | a']],
    [['-Hello Ada', '+Hello Bob'], ['Hello [Ada] | Hello [Bob]']],
    [
      ['-a', '-b', '+c'],
      ['[a] | [c]', 'b | ∅'],
    ],
    [['+c', '-a'], ['[a] | [c]']],
    [['-price 12 EUR', '+price 123 EUR'], ['price [12] EUR | price [123] EUR']],
    [['-x 😀', '+x 😁'], ['x [😀] | x [😁]']],
    [['-aa', '+aa aa'], ['aa | aa[ aa]']],
  ])('%j', (lines, expected) => {
    expect(rowsOf(...lines)).toEqual(expected)
  })

  it('have every line once, with long equal runs folded but for three lines around a change', () => {
    const same = Array.from({ length: 20 }, (_, at) => ` ${at}`)
    const blocks = toBlocks([...same, '-a', '+b', ...same, '+c', ...same.slice(0, 3)].map(line))
    expect(blocks.map(({ kind, rows }) => `${kind} ${rows.length}`)).toEqual([
      'folded 17',
      'rows 7',
      'folded 14',
      'rows 7',
    ])
    expect(toBlocks(same.map(line)).map(({ kind }) => kind)).toEqual(['folded'])
  })
})
