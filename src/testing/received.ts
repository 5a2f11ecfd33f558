import { quote } from '../core/quote.ts'
import type { Inbox } from '../inbox/methods.ts'
import type { Mail } from '../inbox/types.ts'
import type { Localpost } from '../instance/instance.ts'
import { optionTable } from '../options/table.ts'
import { UsageError } from '../core/caller.ts'

/** An instance, or anything with its inbox: what checks look at. */
export type Inspected = { readonly inbox: Pick<Inbox, 'list' | 'get'> } & Partial<
  Pick<Localpost, 'waitTimeoutMs'>
>

/** How long a check waits for what should come, in milliseconds. */
export function defaultTimeoutMs({ waitTimeoutMs }: Inspected): number {
  return waitTimeoutMs ?? optionTable.waitTimeoutMs.default
}

/** Refuses a value that is not an instance. The message says what to pass instead. @throws TypeError. */
export function assertInspected(received: unknown, matcher: string): asserts received is Inspected {
  const inbox = typeof received === 'object' && received !== null && 'inbox' in received && received.inbox
  if (typeof inbox === 'object' && inbox !== null) return
  const call = matcher.startsWith('assert') ? `${matcher}(localpost, …)` : `expect(localpost).${matcher}(…)`
  throw new UsageError(
    `${matcher} looks at a Localpost instance: await ${call}. It was given ${kindOf(received)}.`,
  )
}

/** Refuses what is neither an instance nor a mail. @throws TypeError. */
export function assertReceived(received: unknown, matcher: string): asserts received is Inspected | Mail {
  // A mail has no inbox; everything else must be an instance.
  if (typeof received === 'object' && received !== null && 'recipients' in received)
    assertMail(received, matcher)
  else assertInspected(received, matcher)
}

/** Refuses a value that is not a mail. The message says how to get one. @throws TypeError. */
export function assertMail(received: unknown, matcher: string): asserts received is Mail {
  if (typeof received === 'object' && received !== null && 'links' in received && 'html' in received) return
  throw new UsageError(
    `${matcher} looks at a mail, as inbox.waitFor() and inbox.get() give one. It was given ${kindOf(received)}.`,
  )
}

function kindOf(value: unknown): string {
  if (value instanceof Promise) return 'a promise: await it first'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return `an object without what it needs: ${quote(value)}`
  return `a value of type ${typeof value}`
}
