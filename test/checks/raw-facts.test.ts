import { expect, it } from 'vitest'
import { readRawFacts } from '../../src/checks/raw-facts.ts'
import { expectLinearCost } from '../support/linear-cost.ts'

it('a header of many short fields is read in linear time, up to 4 MB', () => {
  expect(readRawFacts(Buffer.alloc(5_000_000, 'a:b\r\n'))).toMatchObject({
    longest: { line: 1, octets: 3 },
    bareLines: 0,
  })
  expectLinearCost((size) => readRawFacts(Buffer.alloc(size, 'a:b\r\n')), 250_000)
})

it('finds a long encoded word after a short one in the same line', () => {
  const word = (length: number): string => `=?utf-8?q?${'a'.repeat(length)}?=`
  const { longWord } = readRawFacts(Buffer.from(`Subject: ${word(60)} ${word(80)}\r\n`))
  expect(longWord).toBe(word(80))
})
