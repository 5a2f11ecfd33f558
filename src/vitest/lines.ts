import { framesOfTest, type Matchers, type Outcome } from './parts.ts'

/**
 * The matchers for vitest. Those that wait show the line of their call: vitest creates the error of a matcher when the
 * wait is over, and if its promise was not awaited at once, the stack no longer contains the test.
 */
export function withCallLines(matchers: Matchers): Matchers {
  return {
    ...matchers,
    toHaveSent: withCallLine(matchers.toHaveSent),
    toHaveEvent: withCallLine(matchers.toHaveEvent),
    toPassChecks: withCallLine(matchers.toPassChecks),
    toMatchMailPictures: withCallLine(matchers.toMatchMailPictures),
  } satisfies WaitingMatchers
}

/** The matchers that wait. `satisfies` fails if one is missing above. */
type WaitingMatchers = {
  [
    Name in keyof Matchers as ReturnType<Matchers[Name]> extends Promise<Outcome> ? Name : never
  ]: Matchers[Name]
}

type WaitingMatcher<Self, Given extends unknown[]> = (this: Self, ...given: Given) => Promise<Outcome>

function withCallLine<Self extends { isNot?: boolean }, Given extends unknown[]>(
  check: WaitingMatcher<Self, Given>,
): WaitingMatcher<Self, Given> {
  return function matcher(...given) {
    return throwIfFailed(check.apply(this, given), this.isNot === true, framesOfTest(matcher))
  }
}

async function throwIfFailed(checking: Promise<Outcome>, isNot: boolean, frames: string): Promise<Outcome> {
  const outcome = await checking
  if (outcome.pass !== isNot) return outcome
  const { actual, expected } = outcome
  const error = Object.assign(new Error(outcome.message()), { actual, expected })
  error.stack = `${error.name}: ${error.message}\n${frames}`
  throw error
}
