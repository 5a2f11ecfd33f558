import { checkCode, checkLink, checkPlaceholders, type LinkExpectation } from './contents.ts'
import { checkEvent, type EventExpectation } from './event.ts'
import { assertInspected, assertMail, assertReceived } from './mails.ts'
import type { Outcome, Sense } from './outcome.ts'
import { checkSent, type SentExpectation } from './sent.ts'

/** The `this` of a matcher, in vitest and in Jest. */
interface MatcherThis {
  isNot?: boolean
}

/** The matchers, for `expect.extend(matchers)` of vitest or Jest; see {@link MailMatchers} for what each one asks. */
// A type and no interface: `extend` takes what has an index signature.
export type Matchers = {
  toHaveSent(this: MatcherThis, received: unknown, expectation?: SentExpectation): Promise<Outcome>
  toHaveEvent(this: MatcherThis, received: unknown, expectation?: EventExpectation): Promise<Outcome>
  toHaveLink(this: MatcherThis, received: unknown, expectation?: LinkExpectation): Outcome
  toHaveCode(this: MatcherThis, received: unknown, expectation?: string | RegExp): Outcome
  toHaveNoUnrenderedPlaceholders(this: MatcherThis, received: unknown): Outcome
}

/**
 * The matchers as `expect` shows them; vitest's `expect` of `localpost/vitest` has them already.
 *
 * @example
 * import { matchers, type MailMatchers } from 'localpost/testing'
 * expect.extend(matchers)
 * declare global { namespace jest { interface Matchers<R> extends MailMatchers {} } }
 */
export interface MailMatchers {
  /** Of an instance: a mail was accepted; wait for it with `await`. See {@link SentExpectation}. */
  toHaveSent(expectation?: SentExpectation): Promise<void>
  /** Of an instance or a mail: something happened to a recipient; wait for it with `await`. See {@link EventExpectation}. */
  toHaveEvent(expectation?: EventExpectation): Promise<void>
  /** Of a mail: it has a link with this address, or this address and text. */
  toHaveLink(expectation?: LinkExpectation): void
  /** Of a mail: it carries this one-time code, or any. */
  toHaveCode(expectation?: string | RegExp): void
  /** Of a mail: no `{{name}}` is left in subject, text or HTML. */
  toHaveNoUnrenderedPlaceholders(): void
}

/** See {@link Matchers}. */
export const matchers: Matchers = {
  toHaveSent(received, expectation) {
    assertInspected(received, 'toHaveSent')
    return checkSent(received, expectation, senseOf(this))
  },
  toHaveEvent(received, expectation) {
    assertReceived(received, 'toHaveEvent')
    return checkEvent(received, expectation, senseOf(this))
  },
  toHaveLink(received, expectation) {
    assertMail(received, 'toHaveLink')
    return checkLink(received, expectation)
  },
  toHaveCode(received, expectation) {
    assertMail(received, 'toHaveCode')
    return checkCode(received, expectation)
  },
  toHaveNoUnrenderedPlaceholders(received) {
    assertMail(received, 'toHaveNoUnrenderedPlaceholders')
    return checkPlaceholders(received)
  },
}

function senseOf({ isNot = false }: MatcherThis): Sense {
  return { isNot }
}
