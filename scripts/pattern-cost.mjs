/**
 * Decides whether a regular expression takes linear time on every text.
 *
 * `recheck` decides this for patterns without lookarounds, back references and high counts; for others it guesses, within a time
 * limit. So each pattern is first written without them, in ways that take at least as long.
 */
import { RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'

// The other backends are programs for one platform, which are not installed; see `overrides` in package.json.
process.env.RECHECK_BACKEND = 'pure'
// In this thread: the hand-over of answers from another one sometimes finds none.
process.env.RECHECK_SYNC_BACKEND = 'pure'
// In this thread: the hand-over of answers from another one sometimes finds none.
process.env.RECHECK_SYNC_BACKEND = 'pure'
const { checkSync } = await import('recheck')

const parser = new RegExpParser()

/** A pattern that takes longer cannot be decided. The slowest takes a few seconds. */
const timeoutMs = 120_000

/**
 * @param {string} source
 * @param {string} flags
 * @returns {string | null} What is wrong with it; null for a pattern that takes linear time.
 */
export function judge(source, flags) {
  const pattern = parser.parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  })
  const assertions = []
  visitRegExpAST(pattern, { onAssertionEnter: (one) => void assertions.push(one) })
  const endless = assertions.find((one) => one.kind === 'lookbehind' && longest(one) === Infinity)
  if (endless) return `The lookbehind ${endless.raw} has no maximum length.`
  const lookaheads = assertions.filter((one) => one.kind === 'lookahead')
  for (const lookahead of [null, ...lookaheads]) {
    for (const alternative of pattern.alternatives) {
      if (lookahead && !isWithin(lookahead, alternative)) continue
      const problem = problemOf(regular(alternative, lookahead), flags)
      if (problem !== null) return problem
    }
  }
  return null
}

function problemOf(source, flags) {
  const found = checkSync(source, flags.replace(/[gyv]/g, ''), {
    checker: 'automaton',
    timeout: timeoutMs,
    attackTimeout: timeoutMs,
    maxNFASize: 1_000_000,
    maxPatternSize: 100_000,
  })
  if (found.status === 'safe') return null
  if (found.status === 'unknown') return `It cannot be decided: ${found.error.kind}.`
  return `It takes ${found.complexity.summary} time, such as on ${found.attack.pattern}`
}

/**
 * A pattern of the same cost as a regular expression in the strict sense.
 *
 * - Counts above 2 become 2, or no limit where there is none: a limited repetition adds a factor, not a degree.
 * - A back reference becomes what its group may match.
 * - Lookbehinds are left out: their length is limited. So are lookaheads, except for one of them, which must match and be followed
 *   by a character that no text has; so all that it may try is counted.
 * - The alternatives of a pattern are judged one by one: they are tried one after the other.
 */
function regular(node, lookahead) {
  const either = (alternatives) => `(?:${alternatives.map((one) => regular(one, lookahead)).join('|')})`
  switch (node.type) {
    case 'Alternative':
      return node.elements.map((one) => regular(one, lookahead)).join('')
    case 'Group':
    case 'CapturingGroup':
      return either(node.alternatives)
    case 'Quantifier': {
      const [min, max] = [Math.min(node.min, 2), node.max === Infinity ? '' : Math.min(node.max, 2)]
      return `(?:${regular(node.element, lookahead)}){${min},${max}}${node.greedy ? '' : '?'}`
    }
    case 'Assertion':
      if (node === lookahead) return `${either(node.alternatives)}\\uf8ff`
      return node.kind === 'lookahead' || node.kind === 'lookbehind' ? '(?:)' : node.raw
    case 'Backreference':
      return either([node.resolved].flat().flatMap(({ alternatives }) => alternatives))
    default:
      return node.raw
  }
}

/** How many characters an assertion or a part of it may look at. */
function longest(node) {
  if ('alternatives' in node) return Math.max(...node.alternatives.map(longest))
  switch (node.type) {
    case 'Alternative':
      return node.elements.reduce((sum, one) => sum + longest(one), 0)
    case 'Quantifier':
      return node.max === 0 ? 0 : node.max * longest(node.element)
    case 'Backreference':
      return Infinity
    default:
      return 1
  }
}

function isWithin(node, alternative) {
  return node.start >= alternative.start && node.end <= alternative.end
}
