import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { parseStreamed } from '../../src/core/streamed-json.ts'

/** The same bytes in pieces of a size. */
function* inPieces(text: string, size: number): Generator<Buffer> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const parse = (text: string, size: number, most?: number) =>
  parseStreamed(Readable.from(inPieces(text, size), { objectMode: false }), most)

const units = [
  'plain ',
  'ü',
  'こ',
  '😀',
  '"',
  '\\',
  '\n',
  '\u0000',
  '\u2028',
  '\ud83d',
  '\udc00',
  '\\u0041',
  '\\"',
]
const values: [string, unknown][] = [
  ['short members', { html: '<p>"x"</p>', text: 'a\\b', to: '', list: [1, null, true, { a: 'ü' }] }],
  ['an empty object', {}],
  ['a lone string', units.join('')],
  ...units.map((unit): [string, unknown] => [
    `a long string of ${JSON.stringify(unit)}`,
    { html: unit.repeat(40_000), text: 'x', cc: [`${unit.repeat(30_000)}x`], [unit]: 1 },
  ]),
  ['long strings of all', [units.join('').repeat(4000), units.toReversed().join('').repeat(4000)]],
]

it.each(values)('gives the value that was written, wherever it is cut: %s', async (_, value) => {
  const text = JSON.stringify(value)
  const sizes = text.length > 1000 ? [65_536, 65_521, 70_001, 1_000_000] : [1, 2, 3, 5, 7, 1000]
  for (const size of sizes) expect((await parse(text, size)).value).toEqual(value)
  expect((await parse(text, 65_536)).isCut).toBe(false)
})

it('keeps the beginning of long strings where only that is wanted', async () => {
  const value = { html: 'ü'.repeat(500_000), text: 'short', more: ['x'.repeat(100_000), 'y'.repeat(150_001)] }
  const { value: cut, isCut } = await parse(JSON.stringify(value), 65_536, 150_000)
  expect(cut).toEqual({
    html: 'ü'.repeat(150_000),
    text: 'short',
    more: ['x'.repeat(100_000), 'y'.repeat(150_000)],
  })
  expect(isCut).toBe(true)
})
