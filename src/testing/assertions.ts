import { AssertionError } from 'node:assert'
import type { Mail } from '../inbox/mail.ts'
import { checkCode, checkLink, checkPlaceholders, type LinkExpectation } from './contents.ts'
import { checkEvent, type EventExpectation } from './event.ts'
import { assertInspected, assertMail, assertReceived, type Inspected } from './mails.ts'
import type { Outcome } from './outcome.ts'
import { checkSent, type SentExpectation } from './sent.ts'

/**
 * Asserts that mail was accepted, for node:test and whatever else has no `expect`.
 *
 * @throws AssertionError with the nearest mail as `actual`.
 * @example
 * await assertSent(post, { to: 'ada@example.com', subject: /welcome/i })
 */
export async function assertSent(post: Inspected, expectation?: SentExpectation): Promise<void> {
  assertInspected(post, 'assertSent')
  demand(await checkSent(post, expectation), true, assertSent)
}

/** Asserts that no such mail was accepted until now, or comes within `withinMs`. @throws AssertionError. */
export async function assertNotSent(post: Inspected, expectation?: SentExpectation): Promise<void> {
  assertInspected(post, 'assertNotSent')
  demand(await checkSent(post, expectation, { isNot: true }), false, assertNotSent)
}

/** Asserts that something happened to a recipient of an instance's mails, or of one mail. @throws AssertionError. */
export async function assertEvent(received: Inspected | Mail, expectation?: EventExpectation): Promise<void> {
  assertReceived(received, 'assertEvent')
  demand(await checkEvent(received, expectation), true, assertEvent)
}

/** Asserts that no such event happened until now, or comes within `withinMs`. @throws AssertionError. */
export async function assertNoEvent(
  received: Inspected | Mail,
  expectation?: EventExpectation,
): Promise<void> {
  assertReceived(received, 'assertNoEvent')
  demand(await checkEvent(received, expectation, { isNot: true }), false, assertNoEvent)
}

/** Asserts that a mail has a link. @throws AssertionError. */
export function assertLink(mail: Mail, expectation?: LinkExpectation): void {
  assertMail(mail, 'assertLink')
  demand(checkLink(mail, expectation), true, assertLink)
}

/** Asserts that a mail carries a one-time code. @throws AssertionError. */
export function assertCode(mail: Mail, expectation?: string | RegExp): void {
  assertMail(mail, 'assertCode')
  demand(checkCode(mail, expectation), true, assertCode)
}

/** Asserts that no `{{name}}` is left in a mail. @throws AssertionError. */
export function assertNoUnrenderedPlaceholders(mail: Mail): void {
  assertMail(mail, 'assertNoUnrenderedPlaceholders')
  demand(checkPlaceholders(mail), true, assertNoUnrenderedPlaceholders)
}

function demand({ pass, message, actual, expected }: Outcome, wanted: boolean, caller: Function): void {
  if (pass === wanted) return
  throw new AssertionError({
    message: message(),
    actual,
    expected,
    operator: caller.name,
    stackStartFn: caller,
  })
}
