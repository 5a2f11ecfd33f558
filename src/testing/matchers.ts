import type { Mail } from '../inbox/types.ts'
import { checkCode, checkLink, checkPlaceholders, type LinkExpectation } from './contents.ts'
import { checkEvent, type EventExpectation } from './event.ts'
import { withOptions, type CheckOptions } from './expectation.ts'
import { withFrames, withFramesNow } from './frames.ts'
import { checkPasses, type ChecksExpectation } from './mail-checks.ts'
import { checkPictures, type MailPictureOptions } from './mail-pictures.ts'
import { checkSnapshot, type MailSnapshotOptions } from './mail-snapshot.ts'
import type { Outcome, Sense } from './outcome.ts'
import { assertInspected, assertMail, assertReceived } from './received.ts'
import { checkSent, type SentExpectation } from './sent.ts'

/** The `this` of a matcher, in vitest and in Jest. */
interface MatcherThis {
  isNot?: boolean
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
  toHaveSent(expectation?: SentExpectation, options?: CheckOptions): Promise<void>
  /** Of an instance or a mail: something happened to a recipient; wait for it with `await`. See {@link EventExpectation}. */
  toHaveEvent(expectation?: EventExpectation, options?: CheckOptions): Promise<void>
  /** Of a mail: it has a link with this address, or this address and text. */
  toHaveLink(expectation?: LinkExpectation): void
  /** Of a mail: it has this one-time code, or any code. */
  toHaveCode(expectation?: string | RegExp): void
  /** Of a mail: no `{{name}}` is left in subject, text or HTML. */
  toHaveNoUnrenderedPlaceholders(): void
  /** Of a mail: the checks of docs/checks.md find no error; wait for it with `await`. See {@link ChecksExpectation}. */
  toPassChecks(expectation?: ChecksExpectation): Promise<void>
  /**
   * Of a mail: it equals its snapshot, which the runner keeps: header fields, structure, text, HTML and attachments;
   * ids, dates, tokens and codes are masked. See {@link MailSnapshotOptions}.
   */
  toMatchMailSnapshot(options?: MailSnapshotOptions): void
  /**
   * Of a mail: it looks like its pictures, at 375 and 700 pixels, light and dark; wait for it with `await`. It needs
   * `playwright-core` and Chromium. See {@link MailPictureOptions}.
   */
  toMatchMailPictures(options?: MailPictureOptions): Promise<void>
}

/** The matchers, for `expect.extend(matchers)` of vitest or Jest; see {@link MailMatchers} for what each one asks. */
// A type and no interface: `extend` takes what has an index signature.
export type Matchers = {
  [Name in keyof MailMatchers]: (
    this: MatcherThis,
    received: unknown,
    ...given: Parameters<MailMatchers[Name]>
  ) => ReturnType<MailMatchers[Name]> extends Promise<void> ? Promise<Outcome> : Outcome
}

/** See {@link Matchers}. */
export const matchers: Matchers = {
  toHaveSent(received, expectation, options) {
    return waiting('toHaveSent', received, assertInspected, (post, name) =>
      checkSent(post, withOptions(expectation, options, name), senseOf(this)),
    )
  },
  toHaveEvent(received, expectation, options) {
    return waiting('toHaveEvent', received, assertReceived, (given, name) =>
      checkEvent(given, withOptions(expectation, options, name), senseOf(this)),
    )
  },
  toHaveLink(received, expectation) {
    return ofMail('toHaveLink', received, (mail) => checkLink(mail, expectation))
  },
  toHaveCode(received, expectation) {
    return ofMail('toHaveCode', received, (mail) => checkCode(mail, expectation))
  },
  toHaveNoUnrenderedPlaceholders(received) {
    return ofMail('toHaveNoUnrenderedPlaceholders', received, checkPlaceholders)
  },
  toPassChecks(received, expectation) {
    return waiting('toPassChecks', received, assertMail, (mail) => checkPasses(mail, expectation))
  },
  toMatchMailSnapshot(received, options) {
    // `this` has the snapshots of the runner, and whether it writes them.
    return ofMail('toMatchMailSnapshot', received, (mail) => checkSnapshot(this, mail, options))
  },
  toMatchMailPictures(received, options) {
    return waiting('toMatchMailPictures', received, assertMail, (mail) => checkPictures(this, mail, options))
  },
}

/** Runs a matcher that waits. @param assert  Refuses what the matcher does not look at. */
function waiting<Received>(
  name: keyof Matchers,
  received: unknown,
  assert: (received: unknown, matcher: string) => asserts received is Received,
  check: (received: Received, name: string) => Promise<Outcome>,
): Promise<Outcome> {
  return withFrames(matchers[name], () => {
    assert(received, name)
    return check(received, name)
  })
}

/** Runs a matcher of a mail that does not wait. */
function ofMail(name: keyof Matchers, received: unknown, check: (mail: Mail) => Outcome): Outcome {
  return withFramesNow(matchers[name], () => {
    assertMail(received, name)
    return check(received)
  })
}

function senseOf({ isNot = false }: MatcherThis): Sense {
  return { isNot }
}
