import { framesOfTest, type Matchers, type Outcome } from './parts.ts'

/**
 * The matchers for vitest. Those that wait show the line of their call: vitest creates the error of a matcher when the
 * wait is over, and if its promise was not awaited at once, the stack no longer contains the test.
 */
export function withCallLines(matchers: Matchers): Matchers {
  return {
    ...matchers,
    toHaveSent: withLine(matchers.toHaveSent),
    toHaveEvent: withLine(matchers.toHaveEvent),
    toPassChecks: withLine(matchers.toPassChecks),
    toMatchMailPictures: withLine(matchers.toMatchMailPictures),
  } satisfies WaitingMatchers
}

/** So that a matcher that waits cannot be forgotten here. */
type WaitingMatchers = {
  [
    Name in keyof Matchers as ReturnType<Matchers[Name]> extends Promise<Outcome> ? Name : never
  ]: Matchers[Name]
}

type WaitingMatcher<Self, Given extends unknown[]> = (this: Self, ...given: Given) => Promise<Outcome>

function withLine<Self extends { isNot?: boolean }, Given extends unknown[]>(
  check: WaitingMatcher<Self, Given>,
): WaitingMatcher<Self, Given> {
  return function matcher(...given) {
    return orThrow(check.apply(this, given), this.isNot === true, framesOfTest(matcher))
  }
}

async function orThrow(checking: Promise<Outcome>, isNot: boolean, frames: string): Promise<Outcome> {
  const outcome = await checking
  if (outcome.pass !== isNot) return outcome
  const { actual, expected } = outcome
  const error = Object.assign(new Error(outcome.message()), { actual, expected })
  error.stack = `${error.name}: ${error.message}\n${frames}`
  throw error
}
