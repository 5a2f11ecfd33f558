import { AssertionError } from 'node:assert'
import type { Mail } from '../inbox/types.ts'
import { checkCode, checkLink, checkPlaceholders, type LinkExpectation } from './contents.ts'
import { withOptions, type CheckOptions } from './expectation.ts'
import { checkEvent, type EventExpectation } from './event.ts'
import { framesOfTest, withFrames, withFramesNow } from './lines.ts'
import type { Inspected } from './mails.ts'
import { checkPasses, type ChecksExpectation } from './mail-checks.ts'
import type { Outcome } from './outcome.ts'
import { assertInspected, assertMail, assertReceived } from './received.ts'
import { checkSent, type SentExpectation } from './sent.ts'

/**
 * Asserts that mail was accepted, for node:test and other runners without `expect`.
 *
 * @throws AssertionError with the nearest mail as `actual`.
 * @example
 * await assertSent(post, { to: 'ada@example.com', subject: /welcome/i })
 */
export async function assertSent(
  post: Inspected,
  expectation?: SentExpectation,
  options?: CheckOptions,
): Promise<void> {
  const frames = framesOfTest(assertSent)
  await withFrames(frames, async () => {
    assertInspected(post, 'assertSent')
    const outcome = await checkSent(post, withOptions(expectation, options, 'assertSent'))
    demand(outcome, true, { caller: assertSent, frames })
  })
}

/** Asserts that no such mail was accepted, and none arrives within `timeoutMs` if set. @throws AssertionError. */
export async function assertNotSent(
  post: Inspected,
  expectation?: SentExpectation,
  options?: CheckOptions,
): Promise<void> {
  const frames = framesOfTest(assertNotSent)
  await withFrames(frames, async () => {
    assertInspected(post, 'assertNotSent')
    const wanted = withOptions(expectation, options, 'assertNotSent')
    demand(await checkSent(post, wanted, { isNot: true }), false, { caller: assertNotSent, frames })
  })
}

/** Asserts that a recipient of an instance's mails, or of one mail, has an event. @throws AssertionError. */
export async function assertEvent(
  received: Inspected | Mail,
  expectation?: EventExpectation,
  options?: CheckOptions,
): Promise<void> {
  const frames = framesOfTest(assertEvent)
  await withFrames(frames, async () => {
    assertReceived(received, 'assertEvent')
    const outcome = await checkEvent(received, withOptions(expectation, options, 'assertEvent'))
    demand(outcome, true, { caller: assertEvent, frames })
  })
}

/** Asserts that there is no such event, and none within `timeoutMs` if that is set. @throws AssertionError. */
export async function assertNoEvent(
  received: Inspected | Mail,
  expectation?: EventExpectation,
  options?: CheckOptions,
): Promise<void> {
  const frames = framesOfTest(assertNoEvent)
  await withFrames(frames, async () => {
    assertReceived(received, 'assertNoEvent')
    const wanted = withOptions(expectation, options, 'assertNoEvent')
    demand(await checkEvent(received, wanted, { isNot: true }), false, { caller: assertNoEvent, frames })
  })
}

/** Asserts that a mail has a link. @throws AssertionError. */
export function assertLink(mail: Mail, expectation?: LinkExpectation): void {
  const frames = framesOfTest(assertLink)
  withFramesNow(frames, () => {
    assertMail(mail, 'assertLink')
    demand(checkLink(mail, expectation), true, { caller: assertLink, frames })
  })
}

/** Asserts that a mail has a one-time code. @throws AssertionError. */
export function assertCode(mail: Mail, expectation?: string | RegExp): void {
  const frames = framesOfTest(assertCode)
  withFramesNow(frames, () => {
    assertMail(mail, 'assertCode')
    demand(checkCode(mail, expectation), true, { caller: assertCode, frames })
  })
}

/** Asserts that no `{{name}}` is left in a mail. @throws AssertionError. */
export function assertNoUnrenderedPlaceholders(mail: Mail): void {
  const frames = framesOfTest(assertNoUnrenderedPlaceholders)
  withFramesNow(frames, () => {
    assertMail(mail, 'assertNoUnrenderedPlaceholders')
    demand(checkPlaceholders(mail), true, { caller: assertNoUnrenderedPlaceholders, frames })
  })
}

/** Asserts that the checks of docs/checks.md find no error in a mail. @throws AssertionError. */
export async function assertPassesChecks(mail: Mail, expectation?: ChecksExpectation): Promise<void> {
  const frames = framesOfTest(assertPassesChecks)
  await withFrames(frames, async () => {
    assertMail(mail, 'assertPassesChecks')
    demand(await checkPasses(mail, expectation), true, { caller: assertPassesChecks, frames })
  })
}

// After a wait, the stack of an error contains the caller only if the promise is awaited at once.
function demand(
  { pass, message, actual, expected }: Outcome,
  wanted: boolean,
  { caller, frames }: { caller: Function; frames: string },
): void {
  if (pass === wanted) return
  const said = message()
  const error = new AssertionError({
    message: said,
    actual,
    expected,
    operator: caller.name,
    stackStartFn: caller,
  })
  error.stack = `${error.name} [${error.code}]: ${said}\n${frames}`
  throw error
}
