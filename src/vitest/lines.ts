import type { Matchers, Outcome } from './parts.ts'

/**
 * The matchers for vitest, those that wait with the line of their call: vitest makes the error of a matcher when the
 * wait is over, and where its promise was not awaited at once, the stack has nothing of the test by then.
 */
export function withLines(matchers: Matchers): Matchers {
  return {
    ...matchers,
    toHaveSent: withLine(matchers.toHaveSent),
    toHaveEvent: withLine(matchers.toHaveEvent),
  }
}

type Waiting<Self, Given extends unknown[]> = (this: Self, ...given: Given) => Promise<Outcome>

function withLine<Self extends { isNot?: boolean }, Given extends unknown[]>(
  check: Waiting<Self, Given>,
): Waiting<Self, Given> {
  return function matcher(...given) {
    const call: { stack?: string } = {}
    const { stackTraceLimit } = Error
    // Between the test and this are the frames of vitest and Chai.
    Error.stackTraceLimit = 30
    Error.captureStackTrace(call, matcher)
    Error.stackTraceLimit = stackTraceLimit
    return orThrow(check.apply(this, given), this.isNot === true, call.stack ?? '')
  }
}

async function orThrow(checking: Promise<Outcome>, isNot: boolean, stack: string): Promise<Outcome> {
  const outcome = await checking
  if (outcome.pass !== isNot) return outcome
  const { actual, expected } = outcome
  const error = Object.assign(new Error(outcome.message()), { actual, expected })
  error.stack = `${error.name}: ${error.message}\n${stack.slice(stack.indexOf('\n') + 1)}`
  throw error
}
