import { describe, expect, it } from 'vitest'
import { matchesGlob } from '../../src/core/glob.ts'
import { expectLinearCost } from '../support/linear-cost.ts'
import { readMatch, type Match } from '../../src/rules/match.ts'

function match(text: string): Match {
  const read = readMatch(text)
  if ('problem' in read) throw new Error(read.problem)
  return read
}

describe('a match', () => {
  it.each([
    ['ada@example.com', ['ada@example.com', 'ADA@Example.COM'], ['bob@example.com', 'ada@x.example.com']],
    ['Ada@Bücher.example', ['ada@xn--bcher-kva.example'], ['ada@bucher.example']],
    ['example.com', ['ada@example.com', '"a@b"@EXAMPLE.com'], ['ada@x.example.com', 'ada@notexample.com']],
    ['@example.com', ['ada@example.com'], ['ada@x.example.com']],
    ['*@*.example.com', ['ada@x.example.com', 'bob@x.y.example.com'], ['ada@example.com']],
    ['*.example.com', ['ada@x.example.com'], ['ada@example.com']],
    ['bounce-*@example.com', ['bounce-1@example.com', 'BOUNCE-@example.com'], ['bounce@example.com']],
    ['*.bücher.example', ['ada@x.xn--bcher-kva.example'], ['ada@xn--bcher-kva.example']],
    ['a*b*c@example.com', ['abc@example.com', 'axxbyyc@example.com'], ['ac@example.com', 'abcd@example.com']],
    ['*', ['ada@example.com', 'postmaster', 'root@localhost'], []],
    [' ada@[127.0.0.1] ', ['ada@[127.0.0.1]'], ['ada@127.0.0.1']],
  ])('%s matches these addresses, and no others', (text, those, others) => {
    const { test } = match(text)
    for (const address of those) expect([address, test(address)]).toEqual([address, true])
    for (const address of others) expect([address, test(address)]).toEqual([address, false])
  })

  it('is exact where it names one address', () => {
    expect(match('ada@example.com').isExact).toBe(true)
    for (const text of ['@example.com', '*@example.com', 'ada@*.com', 'a*@example.com', '*'])
      expect([text, match(text).isExact]).toEqual([text, text === 'ada@example.com'])
  })

  it.each(['', '  ', '@', 'ada@', 'a b@example.com', 'ada@exa mple.com', 'x..y', '*@a b.com', 'a\nb@x.com'])(
    'that is none is told apart: %j',
    (text) => {
      expect(readMatch(text)).toEqual({ problem: expect.any(String) as string })
    },
  )
})

describe('a pattern', () => {
  it('takes time linear in the length of the text', () => {
    const matches = (size: number): boolean => matchesGlob('*a'.repeat(size / 20), `${'a'.repeat(size)}b`)
    expect(matches(100_000)).toBe(false)
    expectLinearCost(matches, 100_000)
  })

  it('does not use a character twice', () => {
    expect(matchesGlob('ab*ba', 'aba')).toBe(false)
    expect(matchesGlob('a*a*a', 'aa')).toBe(false)
    expect(matchesGlob('a**b', 'ab')).toBe(true)
  })
})
