import { AssertionError } from 'node:assert'
import type { Mail } from '../inbox/types.ts'
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
  const stack = stackOf(assertSent)
  demand(await checkSent(post, expectation), true, assertSent, stack)
}

/** Asserts that no such mail was accepted until now, or comes within `timeoutMs`. @throws AssertionError. */
export async function assertNotSent(post: Inspected, expectation?: SentExpectation): Promise<void> {
  assertInspected(post, 'assertNotSent')
  const stack = stackOf(assertNotSent)
  demand(await checkSent(post, expectation, { isNot: true }), false, assertNotSent, stack)
}

/** Asserts that something happened to a recipient of an instance's mails, or of one mail. @throws AssertionError. */
export async function assertEvent(received: Inspected | Mail, expectation?: EventExpectation): Promise<void> {
  assertReceived(received, 'assertEvent')
  const stack = stackOf(assertEvent)
  demand(await checkEvent(received, expectation), true, assertEvent, stack)
}

/** Asserts that no such event happened until now, or comes within `timeoutMs`. @throws AssertionError. */
export async function assertNoEvent(
  received: Inspected | Mail,
  expectation?: EventExpectation,
): Promise<void> {
  assertReceived(received, 'assertNoEvent')
  const stack = stackOf(assertNoEvent)
  demand(await checkEvent(received, expectation, { isNot: true }), false, assertNoEvent, stack)
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

function demand(
  { pass, message, actual, expected }: Outcome,
  wanted: boolean,
  caller: Function,
  stack?: string,
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
  if (stack !== undefined) error.stack = `${error.name} [${error.code}]: ${said}\n${stack}`
  throw error
}

/** The lines of the caller: after a wait, the stack of an error has them only where its promise is awaited at once. */
function stackOf(caller: Function): string {
  const call: { stack?: string } = {}
  Error.captureStackTrace(call, caller)
  const { stack = '' } = call
  return stack.slice(stack.indexOf('\n') + 1)
}
