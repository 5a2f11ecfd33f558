import { expect, test } from 'vitest'
import { readTracestate } from '../../src/core/trace-context.ts'

const times = (count: number, entry: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => entry(at)).join(',')

// https://www.w3.org/TR/trace-context/#tracestate-header
test.each([
  ['one entry', 'congo=t61rcWkgMzE', 'congo=t61rcWkgMzE'],
  ['several', 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE', 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'],
  ['space around entries', ' a=1 ,\t b=2\t', 'a=1,b=2'],
  ['empty entries', ',a=1,, ,b=2,', 'a=1,b=2'],
  ['space within a value, and before it', 'a= 1 2', 'a= 1 2'],
  ['the key of a tenant', 'fw529a3039@dt=FfAAAQ', 'fw529a3039@dt=FfAAAQ'],
  ['all characters of keys', 'a1_-*/@=1', 'a1_-*/@=1'],
  ['a key that begins with a digit', '0a=1', '0a=1'],
  [
    'all characters of values',
    'a=!"#$%&\'()*+-./09:;<>?@AZ[\\]^_`az{|}~',
    'a=!"#$%&\'()*+-./09:;<>?@AZ[\\]^_`az{|}~',
  ],
  ['a value of 256 characters', `a=${'1'.repeat(256)}`, `a=${'1'.repeat(256)}`],
  ['a key of 256 characters', `${'a'.repeat(256)}=1`, `${'a'.repeat(256)}=1`],
  ['32 entries', times(32, (at) => `k${at}=1`), times(32, (at) => `k${at}=1`)],
])('%s: it is read', (_, given, read) => {
  expect(readTracestate(given)).toBe(read)
})

test.each([
  ['none', undefined],
  ['null', null],
  ['an empty one', ''],
  ['empty entries alone', ' ,\t,'],
  ['no value', 'a'],
  ['an empty value', 'a='],
  ['a value of space', 'a=  '],
  ['an empty key', '=1'],
  ['upper case in a key', 'A=1'],
  ['space before the equals sign', 'a =1'],
  ['a key that begins with another character', '_a=1'],
  ['a long key', `${'a'.repeat(257)}=1`],
  ['a long value', `a=${'1'.repeat(257)}`],
  ['two equals signs', 'a=1=2'],
  ['a line break', 'a=1\r\nx-other: 1'],
  ['a tab in a value', 'a=1\t2'],
  ['a character beyond ASCII', 'a=\u00e9'],
  ['a key twice', 'a=1,b=2,a=3'],
  ['33 entries', times(33, (at) => `k${at}=1`)],
  ['a wrong entry among right ones', 'a=1,wrong,b=2'],
  ['a megabyte', 'a=1,'.repeat(256 * 1024)],
])('%s: it is ignored', (_, given) => {
  expect(readTracestate(given)).toBeUndefined()
})

test('of a long one the longest entries go first, then the last ones', () => {
  const long = (key: string): string => `${key}=${'x'.repeat(200)}`
  const short = times(10, (at) => `k${at}=${'y'.repeat(20)}`)
  expect(readTracestate(`${long('a')},${short},${long('b')}`)).toBe(`${long('a')},${short}`)
  expect(readTracestate(`${long('a')},${long('b')},${long('c')},z=1`)).toBe(`${long('a')},${long('b')},z=1`)
  const many = times(30, (at) => `k${at + 10}=${'z'.repeat(60)}`)
  const kept = readTracestate(many) ?? ''
  expect(many.startsWith(`${kept},`)).toBe(true)
  expect(kept).toHaveLength(7 * 65 - 1)
  expect(readTracestate(`a=${'x'.repeat(510)}`)).toBeUndefined()
  const most = `${'k'.repeat(200)}=${'v'.repeat(256)},k=${'x'.repeat(52)}`
  expect(most).toHaveLength(512)
  expect(readTracestate(most)).toBe(most)
})
