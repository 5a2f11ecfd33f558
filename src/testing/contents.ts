import { isRegExp } from 'node:util/types'
import type { Mail } from '../inbox/types.ts'
import type { Link } from '../reading/types.ts'
import { unrenderedPlaceholders } from '../checks/placeholders.ts'
import { contains } from '../search/query-fits.ts'
import { assertExpectation, assertPattern } from './expectation.ts'
import { sayExpectation, type Outcome, type TextPattern } from './outcome.ts'

/** A link that a mail should have: its address, or address and text. */
export type LinkExpectation = TextPattern | { href?: TextPattern; text?: TextPattern }

/** Checks whether a mail has a link. Without an expectation: any. */
export function checkLink({ id, links }: Mail, expectation: LinkExpectation = {}): Outcome {
  const wanted: Exclude<LinkExpectation, TextPattern> =
    typeof expectation === 'string' || isRegExp(expectation) ? { href: expectation } : expectation
  assertExpectation(wanted, { href: 'pattern', text: 'pattern' }, 'A link')
  const { href, text } = wanted
  const fits = (link: Link): boolean =>
    (href === undefined || contains(link.href, href)) && (text === undefined || contains(link.text, text))
  const matches = links.filter(fits)
  const lines = (some: readonly Link[]): string =>
    some.map((link) => `  ${link.href} (${JSON.stringify(link.text)})`).join('\n')
  return {
    pass: matches.length > 0,
    message() {
      const said = `link ${sayExpectation(wanted)} in ${id}, but`
      if (matches.length > 0) return `Expected no ${said} there is:\n${lines(matches)}`
      return `Expected a ${said} ${links.length > 0 ? `it has:\n${lines(links)}` : 'it has none.'}`
    },
    actual: links,
    expected: [wanted],
  }
}

/** Checks whether a mail has a one-time code. Without an expectation: any. */
export function checkCode({ id, codes }: Mail, expectation?: string | RegExp): Outcome {
  if (expectation !== undefined) assertPattern(expectation, 'A code')
  const matches = codes.filter((code) =>
    typeof expectation === 'string' ? code === expectation : !expectation || contains(code, expectation),
  )
  const pass = matches.length > 0
  const wanted = expectation === undefined ? 'a code' : `the code ${String(expectation)}`
  return {
    pass,
    message: () =>
      pass
        ? `Expected ${id} not to carry ${wanted}, but it carries ${matches.join(', ')}.`
        : `Expected ${id} to carry ${wanted}, but it carries ${codes.join(', ') || 'none'}.`,
    actual: codes,
    expected: expectation === undefined ? codes : [expectation],
  }
}

/** Checks whether every placeholder of a mail was rendered. */
export function checkPlaceholders(mail: Mail): Outcome {
  const left = unrenderedPlaceholders(mail)
  return {
    pass: left.length === 0,
    message: () =>
      left.length === 0
        ? `Expected ${mail.id} to show a placeholder, but every one was rendered.`
        : `Expected every placeholder of ${mail.id} to be rendered, but it shows ${left.join(' ')}: its reader sees them as they are.`,
    actual: left,
    expected: [],
  }
}
