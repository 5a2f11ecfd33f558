import { expect, test } from 'vitest'
import { findJsonFault } from '../../src/core/json-fault.ts'

test.each([
  ['', 0],
  ['  ', 2],
  ['{', 1],
  ['{]', 1],
  ['{"a"}', 4],
  ['{"a":}', 5],
  ['{"a":1,}', 7],
  ['{a:1}', 1],
  ['[1,]', 3],
  ['[1 2]', 3],
  ['{"a":1}}', 7],
  ['nul', 0],
  ['[01]', 2],
  ['[1.]', 2],
  ['"a\nb"', 2],
  ['"a\\x"', 2],
  ['"abc', 4],
  ["{'a':1}", 1],
  ['[undefined]', 1],
  ['{"a":{"b":[1,{"c":tru}]}}', 18],
  ['[1,\n 2,\n}', 8],
  ['{"a" "b"}', 5],
  ['{"a":1 "b":2}', 7],
  ['{,}', 1],
  ['[,]', 1],
  ['{"a":1,,}', 7],
  ['[1}', 2],
  ['{"a":[}', 6],
  ['1 2', 2],
  ['"\\u00g0"', 1],
  [`"${'a'.repeat(100_000)}\\`, 100_001],
  [`{"a":"${'a'.repeat(100_000)}", oops}`, 100_009],
])('the fault of %j is at %i', (text, position) => {
  expect(() => JSON.parse(text) as unknown).toThrow()
  expect(findJsonFault(text)).toBe(position)
})

test('text that JSON.parse accepts has no fault before its end', () => {
  for (const text of ['{}', '[]', ' [1, -2.5e+3, "\\u00e4\\n", null, true, {"a": [{}]}] ', '"x"', '0']) {
    JSON.parse(text)
    expect(findJsonFault(text)).toBe(text.length)
  }
})

test('a long or deep text does not overflow the stack', () => {
  expect(findJsonFault('['.repeat(200_000))).toBe(200_000)
  expect(findJsonFault(`"${'a'.repeat(5_000_000)}`)).toBe(5_000_001)
  expect(findJsonFault(`"${'\\n'.repeat(1_000_000)}`)).toBe(2_000_001)
})
