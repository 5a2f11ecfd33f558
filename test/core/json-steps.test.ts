import { expect, test } from 'vitest'
import { jsonSteps, type JsonBounds } from '../../src/core/json-steps.ts'
import { unpaced } from '../../src/core/yield.ts'

const parse = (text: string, bounds?: JsonBounds): unknown => unpaced(jsonSteps(text, bounds))

/** Longer than several slices; escapes of both lengths and surrogate pairs stand at every offset of a slice's end. */
const long = (piece: string): string => JSON.stringify(piece.repeat(Math.ceil(200_000 / piece.length)))

test.each([
  'null',
  ' [1, -0, -2.5e+3, "\\u00e4\\n", true, false, {"a": [{}], "": ""}] ',
  '{"a":1,"b":2,"a":3,"1":4}',
  '{"__proto__":{"x":1},"constructor":"y"}',
  '[[],[[]],{"a":{}}]',
  '"\\"\\\\\\/\\b\\f\\n\\r\\t\\ud83d\\ude00\\ud83d"',
  '"\u2028x"',
  `"${'\\u00e4'.repeat(50_000)}"`,
  `"x${'\\u00e4'.repeat(50_000)}"`,
  `"${'\\\\'.repeat(100_000)}\\""`,
  `${' '.repeat(100_000)}[${'\n'.repeat(100_000)}]`,
  ...['a', 'ab\n', '"', 'x"', '\\', 'ä', '😀', 'x😀', '\u0001', '<p class="a">é\r\n</p>'].map(long),
  ...['a"b\n', '😀\t'].map((piece) => `{${long(piece)}: ${long(piece)}, "b": [${long(piece)}]}`),
])('what JSON.parse makes of a text is made in steps (case %#)', (text) => {
  expect(parse(text)).toStrictEqual({ value: JSON.parse(text) as unknown })
})

test('a member named __proto__ is a member', () => {
  const parsed = parse('{"__proto__":1}') as { value: object }
  expect(Object.hasOwn(parsed.value, '__proto__')).toBe(true)
  expect(Object.getPrototypeOf(parsed.value)).toBe(Object.prototype)
})

test('what goes beyond a bound is refused before it is made', () => {
  expect(parse('[[]]', { depth: 1, values: 9 })).toEqual({ exceeded: 'depth' })
  expect(parse('[[]]', { depth: 2, values: 9 })).toEqual({ value: [[]] })
  expect(parse(`[${'1,'.repeat(9)}`, { depth: 1, values: 9 })).toEqual({ exceeded: 'values' })
  expect(parse(`[${'1,'.repeat(7)}1]`, { depth: 1, values: 9 })).toEqual({ value: Array(8).fill(1) })
})

test.each([
  [`"${'a'.repeat(100_000)}`, 100_001],
  [`"${'a'.repeat(100_000)}\n"`, 100_001],
  [`"${'\\n'.repeat(100_000)}\\x"`, 200_001],
  [`"${'a'.repeat(100_000)}\\u00g0"`, 100_001],
  [`"${'a'.repeat(100_000)}\\u00"`, 100_001],
  [`"${'a'.repeat(100_000)}\\`, 100_001],
  [`{"a":"${'a'.repeat(100_000)}", oops}`, 100_009],
])('the fault in a long text is found (case %#)', (text, fault) => {
  expect(() => JSON.parse(text) as unknown).toThrow()
  expect(parse(text)).toEqual({ fault })
})

test('long texts are parsed in small steps', () => {
  for (const text of [long('ab\n'), `[${'1,'.repeat(100_000)}1]`, ' '.repeat(3_000_000)]) {
    let steps = 0
    for (const _ of { [Symbol.iterator]: () => jsonSteps(text) }) steps++
    expect(steps).toBeGreaterThan(text.length / 200_000)
  }
})
