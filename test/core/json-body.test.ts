import { expect, test } from 'vitest'
import { exceededBound, parseJsonBody } from '../../src/core/json-body.ts'

const parse = (text: string): unknown => parseJsonBody(Buffer.from(text))
const bounds = { depth: 100, values: 1_000_000 }

test.each([
  ['[[]]', 2],
  ['[[],[],{"a":{}}]', 3],
  ['["[[[[", "\\\\", {"\\"[[": "]"}]', 2],
  ['1', 0],
])('%j is nested %i levels deep', (text, levels) => {
  JSON.parse(text)
  expect(exceededBound(text, { ...bounds, depth: levels })).toBeNull()
  if (levels > 0) expect(exceededBound(text, { ...bounds, depth: levels - 1 })).toBe('depth')
})

test.each([
  ['1', 1],
  ['[]', 1],
  [' [ ] ', 1],
  ['[1]', 2],
  ['[1, 2, [ ], {}]', 5],
  ['{"a,[": 1, "b": {"c": null}}', 4],
  ['["\\",", "\\\\", ",,,"]', 4],
  ['[[[1],[2,3]],{"x":[{"y":true}]}]', 11],
])('%j has %i values', (text, values) => {
  JSON.parse(text)
  expect(exceededBound(text, { depth: 100, values })).toBeNull()
  expect(exceededBound(text, { depth: 100, values: values - 1 })).toBe('values')
})

test('a body is what JSON.parse makes of it', () => {
  for (const text of [
    '{"__proto__":{"x":1},"a":"\\ud83d\\ude00ä"}',
    ' [1, -2.5e+3, true, null] ',
    '"\u2028😀"',
  ]) {
    expect(parse(text)).toStrictEqual(JSON.parse(text))
    expect(parse(`\ufeff${text}`)).toStrictEqual(JSON.parse(text))
  }
})

test.each([
  ['', 'invalid_json', 'The body is empty. Send one JSON object.'],
  [' \n', 'invalid_json', 'The body is empty. Send one JSON object.'],
  ['{"a":}', 'invalid_json', expect.stringMatching(/^The body is not JSON: .*\{"a":\}/)],
  ['['.repeat(101), 'invalid_json', 'The body is nested deeper than 100 levels. Send it flatter.'],
  [
    `[${'1,'.repeat(1_000_000)}1]`,
    'payload_too_large',
    'The body has more than 1000000 values. Send less in one request.',
  ],
])('a wrong body says what is wrong (case %#)', (text, code, message) => {
  expect(() => parse(text)).toThrow(expect.objectContaining({ code, message }))
})

test('a body that is not UTF-8 is refused', () => {
  expect(() => parseJsonBody(Buffer.from([0x22, 0xff, 0x22]))).toThrow('The body is not valid UTF-8.')
})
