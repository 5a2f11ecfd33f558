import { AssertionError } from 'node:assert'
import type { Mail } from '../inbox/types.ts'
import { checkCode, checkLink, checkPlaceholders, type LinkExpectation } from './contents.ts'
import { withOptions, type CheckOptions } from './expectation.ts'
import { checkEvent, type EventExpectation } from './event.ts'
import { withFrames, withFramesNow } from './frames.ts'
import { checkPasses, type ChecksExpectation } from './mail-checks.ts'
import type { Outcome, Sense } from './outcome.ts'
import { assertInspected, assertMail, assertReceived, type Inspected } from './received.ts'
import { checkSent, type SentExpectation } from './sent.ts'

/**
 * Asserts that mail was accepted, for node:test and other runners without `expect`.
 *
 * @throws AssertionError with the nearest mail as `actual`.
 * @example
 * await assertSent(post, { to: 'ada@example.com', subject: /welcome/i })
 */
export function assertSent(
  post: Inspected,
  expectation?: SentExpectation,
  options?: CheckOptions,
): Promise<void> {
  return assertMails(['assertSent', assertSent], { isNot: false }, post, expectation, options)
}

/** Asserts that no such mail was accepted, and none arrives within `timeoutMs` if set. @throws AssertionError. */
export function assertNotSent(
  post: Inspected,
  expectation?: SentExpectation,
  options?: CheckOptions,
): Promise<void> {
  return assertMails(['assertNotSent', assertNotSent], { isNot: true }, post, expectation, options)
}

/** Asserts that a recipient of an instance's mails, or of one mail, has an event. @throws AssertionError. */
export function assertEvent(
  received: Inspected | Mail,
  expectation?: EventExpectation,
  options?: CheckOptions,
): Promise<void> {
  return assertEvents(['assertEvent', assertEvent], { isNot: false }, received, expectation, options)
}

/** Asserts that there is no such event, and none within `timeoutMs` if that is set. @throws AssertionError. */
export function assertNoEvent(
  received: Inspected | Mail,
  expectation?: EventExpectation,
  options?: CheckOptions,
): Promise<void> {
  return assertEvents(['assertNoEvent', assertNoEvent], { isNot: true }, received, expectation, options)
}

/** Asserts that a mail has a link. @throws AssertionError. */
export function assertLink(mail: Mail, expectation?: LinkExpectation): void {
  assertNow(['assertLink', assertLink], mail, () => checkLink(mail, expectation))
}

/** Asserts that a mail has a one-time code. @throws AssertionError. */
export function assertCode(mail: Mail, expectation?: string | RegExp): void {
  assertNow(['assertCode', assertCode], mail, () => checkCode(mail, expectation))
}

/** Asserts that no `{{name}}` is left in a mail. @throws AssertionError. */
export function assertNoUnrenderedPlaceholders(mail: Mail): void {
  assertNow(['assertNoUnrenderedPlaceholders', assertNoUnrenderedPlaceholders], mail, () =>
    checkPlaceholders(mail),
  )
}

/** Asserts that the checks of docs/checks.md find no error in a mail. @throws AssertionError. */
export function assertPassesChecks(mail: Mail, expectation?: ChecksExpectation): Promise<void> {
  return assertLater(['assertPassesChecks', assertPassesChecks], { isNot: false }, (name) => {
    assertMail(mail, name)
    return checkPasses(mail, expectation, name)
  })
}

/** An assertion. Its name is written, because a bundler may rename functions. */
type Called = readonly [name: string, callee: Function]

function assertMails(
  called: Called,
  sense: Sense,
  post: Inspected,
  expectation: SentExpectation | undefined,
  options: CheckOptions | undefined,
): Promise<void> {
  return assertLater(called, sense, (name) => {
    assertInspected(post, name)
    return checkSent(post, withOptions(expectation, options, name), sense)
  })
}

function assertEvents(
  called: Called,
  sense: Sense,
  received: Inspected | Mail,
  expectation: EventExpectation | undefined,
  options: CheckOptions | undefined,
): Promise<void> {
  return assertLater(called, sense, (name) => {
    assertReceived(received, name)
    return checkEvent(received, withOptions(expectation, options, name), sense)
  })
}

/** @param check  Gets the name of the assertion, for messages. */
async function assertLater(
  called: Called,
  sense: Sense,
  check: (name: string) => Promise<Outcome>,
): Promise<void> {
  const [name, callee] = called
  await withFrames(callee, async (frames) => demand(await check(name), sense, called, frames))
}

function assertNow(called: Called, mail: Mail, check: () => Outcome): void {
  const [name, callee] = called
  withFramesNow(callee, (frames) => {
    assertMail(mail, name)
    demand(check(), { isNot: false }, called, frames)
  })
}

/** @param frames  The stack of the call, because that of an error after a wait may lack the test. @throws AssertionError. */
function demand(
  { pass, message, actual, expected }: Outcome,
  { isNot }: Sense,
  [operator, stackStartFn]: Called,
  frames: string,
): void {
  if (pass !== isNot) return
  const said = message()
  const error = new AssertionError({ message: said, actual, expected, operator, stackStartFn })
  error.stack = `${error.name} [${error.code}]: ${said}\n${frames}`
  throw error
}
