/** The result of a check: the shape that `expect.extend` of vitest and Jest takes. */
export interface Outcome {
  pass: boolean
  /** The actual and the expected value, for the reader of a failed test. */
  message: () => string
  /** The value that the diff of a failed test shows as received. */
  actual?: unknown
  /** The value that the diff of a failed test shows as expected. */
  expected?: unknown
}

/** Whether the opposite is asserted: such a check ends as soon as possible. */
export interface Sense {
  isNot: boolean
}

/** A text as an expectation names it: a part of it in any case, or a pattern. A whole address matches only that mailbox. */
export type TextPattern = string | RegExp

/**
 * The members of an expectation beside those of what came nearest, for the diff of the failed test. A member that fits is
 * shown as it is, so that the diff marks only what differs.
 *
 * @param differing  The names of the members that do not fit.
 * @param shown  What came nearest has for a member.
 */
export function differenceOf(
  expectation: object,
  differing: readonly string[],
  shown: (name: string) => unknown,
): Pick<Outcome, 'actual' | 'expected'> {
  const wanted = Object.entries(expectation).filter(([, value]) => value !== undefined)
  return {
    actual: Object.fromEntries(wanted.map(([name]) => [name, shown(name)])),
    expected: Object.fromEntries(
      wanted.map(([name, value]) => [name, differing.includes(name) ? value : shown(name)]),
    ),
  }
}

/** An expectation as one line: `{ to: "ada@example.com", subject: /welcome/i }`. */
export function sayExpectation(expectation: object): string {
  const members = Object.entries(expectation)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value instanceof RegExp ? String(value) : JSON.stringify(value)}`)
  return members.length > 0 ? `{ ${members.join(', ')} }` : 'any'
}
