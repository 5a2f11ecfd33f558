import { expect, test } from 'vitest'
import { readTraceparent } from '../../src/core/trace-context.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'

// https://www.w3.org/TR/trace-context/#traceparent-header
test.each([
  ['a sampled one', `00-${trace}-${span}-01`, `00-${trace}-${span}-01`],
  ['one that is not sampled', `00-${trace}-${span}-00`, `00-${trace}-${span}-00`],
  ['one with other flags', `00-${trace}-${span}-03`, `00-${trace}-${span}-03`],
  ['white space around it', ` \t00-${trace}-${span}-01 `, `00-${trace}-${span}-01`],
  ['a later version', `cc-${trace}-${span}-01`, `00-${trace}-${span}-01`],
  ['a later version with other flags', `cc-${trace}-${span}-fe`, `00-${trace}-${span}-00`],
  ['a later version with more fields', `cc-${trace}-${span}-01-what-comes`, `00-${trace}-${span}-01`],
])('%s is read', (_, given, read) => {
  expect(readTraceparent(given)).toBe(read)
})

test.each([
  ['none', undefined],
  ['null', null],
  ['an empty one', ''],
  ['a text', 'trace'],
  ['version ff', `ff-${trace}-${span}-01`],
  ['a short version', `0-${trace}-${span}-01`],
  ['a version that is no number', `0x-${trace}-${span}-01`],
  ['no version', `${trace}-${span}-01`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${span}-01`],
  ['a span of zeros', `00-${trace}-${'0'.repeat(16)}-01`],
  ['a short trace', `00-${trace.slice(1)}-${span}-01`],
  ['a long trace', `00-${trace}0-${span}-01`],
  ['a short span', `00-${trace}-${span.slice(1)}-01`],
  ['a long span', `00-${trace}-${span}0-01`],
  ['upper case', `00-${trace.toUpperCase()}-${span}-01`],
  ['other letters', `00-${trace.replace('4', 'g')}-${span}-01`],
  ['no flags', `00-${trace}-${span}`],
  ['one flag', `00-${trace}-${span}-1`],
  ['long flags', `00-${trace}-${span}-011`],
  ['flags that are no number', `00-${trace}-${span}-.1`],
  ['version 00 with more fields', `00-${trace}-${span}-01-what`],
  ['version 00 with a hyphen at its end', `00-${trace}-${span}-01-`],
  ['a later version with more text', `cc-${trace}-${span}-01.what`],
  ['several', `00-${trace}-${span}-01, 00-${trace}-${span}-01`],
  ['spaces within', `00 -${trace}-${span}-01`],
  ['a megabyte', '0'.repeat(1024 * 1024)],
])('%s is ignored', (_, given) => {
  expect(readTraceparent(given)).toBeUndefined()
})
