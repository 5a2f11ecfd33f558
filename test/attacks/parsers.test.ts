import { describe, expect, it } from 'vitest'
import { LocalpostError } from '../../src/core/errors.ts'
import { calls, folders, left } from './_calls.ts'
import { load, parsersIn, type Parser } from './_parsers.ts'

/** One of each class of characters, and beginnings of what parsers look for. */
const characters = Array.from(' \t\n\0aZ1=<>&"\'()[]{},;:/\\@.-_%#?!*+|~$^`\u00e9\ufffd\u3042')
const words = '\r\n| \t|, |<a |<a>|<!--|=?|?=|{{|](|\\"|""|a@|a.|a/|&a|a:|--'.split('|')
const repeated = [...characters, ...words]
const prefixes = ['', 'a', '"', '<a href="', 'a: b=', '=?utf-8?q?', 'https://a.test/']
const suffixes = ['', '\0', 'a']
// Of a parameter of MIME 16 KiB are read.
const size = 4000
/** Below this cost, in microseconds, a call is fast at any rate. Quadratic work on the larger input takes longer. */
const negligible = 40_000
const maxRatio = 8

const parsers = folders.flatMap(parsersIn)
/** What takes text or bytes, and what the table adds. */
const attacked = parsers.filter(({ name, takes }) => name in calls || (takes !== 'other' && !(name in left)))

describe('the parsers', () => {
  it('that need more than a text say how they are called, or why they are not attacked', () => {
    expect(attacked.filter(({ name, more }) => more > 0 && !(name in calls)).map(({ name }) => name)).toEqual(
      [],
    )
    const names = new Set(parsers.map(({ name }) => name))
    expect([...Object.keys(calls), ...Object.keys(left)].filter((name) => !names.has(name))).toEqual([])
    expect(attacked.length).toBeGreaterThan(80)
  })

  it.each(attacked.map((one) => [one.name, one] as const))(
    '%s takes linear time for each text of repeats',
    { timeout: 600_000 },
    async (name, parser) => {
      const parse = await load(parser)
      const call = calls[name] ?? ((text) => parse(inputOf(parser, text)))
      const slow: string[] = []
      for (const piece of repeated) {
        for (const prefix of prefixes) {
          for (const suffix of suffixes) {
            const cost = (count: number): Promise<number> =>
              costOf(call, prefix + piece.repeat(count / piece.length) + suffix)
            const found = await faultOf(cost)
            if (found !== null) slow.push(`${JSON.stringify([prefix, piece, suffix])}: ${found}`)
          }
        }
      }
      expect(slow).toEqual([])
    },
  )
})

function inputOf({ takes }: Parser, text: string): string | Buffer {
  return takes === 'string' ? text : Buffer.from(text)
}

/** Compares the smallest of up to five costs of two sizes. */
async function faultOf(cost: (count: number) => Promise<number>): Promise<string | null> {
  let [small, large] = [Infinity, Infinity]
  for (let round = 0; round < 5; round++) {
    large = Math.min(large, await cost(4 * size))
    if (large < negligible) return null
    small = Math.min(small, await cost(size))
    if (large < maxRatio * small) return null
  }
  return `${small} µs for ${size}, ${large} µs for ${4 * size}`
}

/** The CPU time in microseconds. What a parser refuses counts as well. */
async function costOf(call: (text: string) => unknown, text: string): Promise<number> {
  const before = process.cpuUsage()
  try {
    await call(text)
  } catch (error) {
    if (!(error instanceof LocalpostError)) throw error
  }
  const { user, system } = process.cpuUsage(before)
  return user + system
}
