import type { EmailRecord } from '../emails/email.ts'
import { deliveredEvent, pendingRecipients, withEvents } from '../emails/events.ts'
import type { EmailEvent, EventCause } from '../emails/types.ts'
import { bounceOf, mayBeRetried, type SmtpReply, suppressionBounce } from './replies.ts'

/** The effects of simulator addresses beyond SMTP. */
export interface Simulator {
  /** No mail for such an address ever goes to a relay. */
  isSimulator(address: string): boolean
  /** Whether the address simulates a recipient on the suppression list of the account. */
  isSuppressed(address: string): boolean
  /** Further events of this recipient: at a deferral, or after the delivery. */
  aftermathOf(address: string): 'complained' | 'opened' | 'clicked' | 'delivery_delayed' | null
}

/** What decides about the events of a try, beside the replies. */
export interface TryContext {
  simulator: Simulator
  /** Waits before the second, third, … try, in milliseconds. */
  retryDelaysMs: readonly number[]
  /** The cause of a reply to a recipient on this machine; undefined if it has none here. */
  causeOf(recipient: string, replyCode: number): EventCause | undefined
  /** The host name that the outbox delivered with. */
  reporting_mta: string
  /** The first link of the email, for a simulated click; null without one. */
  link: string | null
  /** When the processing of the email began: Unix time in milliseconds. */
  started: number
}

/** What one try came to for a recipient. */
type TryOutcome = 'delivered' | 'deferred' | 'bounced'

/**
 * What the replies mean for the recipients of an email that have no outcome yet.
 *
 * @param retryDelaysMs  As in {@link TryContext}.
 */
export function outcomesOf(
  email: EmailRecord,
  replies: ReadonlyMap<string, SmtpReply>,
  retryDelaysMs: readonly number[],
): Map<string, TryOutcome> {
  const mayRetry = nextDelay(email, retryDelaysMs) !== undefined
  const pending = new Set(pendingRecipients(email))
  const outcomes = new Map<string, TryOutcome>()
  for (const [recipient, reply] of replies)
    if (pending.has(recipient)) outcomes.set(recipient, outcomeOfReply(reply, mayRetry))
  return outcomes
}

/** How long the next try waits, in milliseconds; undefined if this one was the last. */
function nextDelay({ outbox }: EmailRecord, retryDelaysMs: readonly number[]): number | undefined {
  return retryDelaysMs[outbox?.attempts ?? 0]
}

function outcomeOfReply(reply: SmtpReply, mayRetry: boolean): TryOutcome {
  if (reply.reply_code >= 200 && reply.reply_code < 300) return 'delivered'
  return mayBeRetried(reply) && mayRetry ? 'deferred' : 'bounced'
}

/**
 * The record of an email after a try: one event for each recipient with an outcome, and a later try for the others.
 *
 * @param replies  The server's reply for each recipient that was tried.
 */
export function afterDelivery(
  email: EmailRecord,
  replies: ReadonlyMap<string, SmtpReply>,
  now: number,
  context: TryContext,
): EmailRecord {
  const attempts = (email.outbox?.attempts ?? 0) + 1
  // After the last try no recipient is pending, except one whose reply was dropped: that one is tried again at once.
  const delay = nextDelay(email, context.retryDelaysMs) ?? 0
  const added = new Map<string, EmailEvent[]>()
  const outcomes = outcomesOf(email, replies, context.retryDelaysMs)
  for (const [recipient, reply] of replies) {
    const outcome = outcomes.get(recipient)
    if (outcome === 'delivered') added.set(recipient, delivered(recipient, reply, now, context))
    else if (outcome === 'deferred') added.set(recipient, deferred(recipient, reply, now, context))
    else if (outcome === 'bounced') added.set(recipient, [bounced(recipient, reply, now, context)])
  }
  const changed = withEvents(email, added)
  const isDone = pendingRecipients(changed).length === 0
  const outbox = isDone || !email.outbox ? null : { ...email.outbox, attempts, due: now + delay }
  return { ...changed, outbox, outbox_due: outbox?.due ?? null }
}

/** The record of an email whose pending recipients on the suppression list are not tried; the others stay as they are. */
export function afterSuppression(
  email: EmailRecord,
  suppressed: readonly string[],
  now: number,
  reporting_mta: string,
): EmailRecord {
  const event: EmailEvent = {
    status: 'bounced',
    timestamp: now,
    ...suppressionBounce,
    smtp_response: 'The mail was not sent: the address is on the suppression list of the account.',
    reporting_mta,
  }
  return withEvents(email, new Map(suppressed.map((recipient) => [recipient, [event]])))
}

/** The record of an email that cannot be composed: every recipient without an outcome has failed, for this reason. */
export function afterFailure(email: EmailRecord, reason: string, now: number): EmailRecord {
  const event: EmailEvent = { status: 'failed', timestamp: now, reason }
  const added = new Map(pendingRecipients(email).map((recipient) => [recipient, [event]]))
  return { ...withEvents(email, added), outbox: null, outbox_due: null }
}

function delivered(recipient: string, reply: SmtpReply, now: number, context: TryContext): EmailEvent[] {
  const events = [deliveredEvent(reply.text, now, context)]
  const hit = { timestamp: now, ip: '127.0.0.1', user_agent: 'Localpost simulator' }
  switch (context.simulator.aftermathOf(recipient)) {
    case 'complained':
      events.push({ status: 'complained', timestamp: now, cause: { kind: 'simulator' } })
      break
    case 'opened':
      events.push({ status: 'opened', ...hit })
      break
    case 'clicked':
      events.push({ status: 'opened', ...hit })
      if (context.link !== null) events.push({ status: 'clicked', ...hit, link: context.link })
      break
    case 'delivery_delayed':
    case null:
      break
  }
  return events
}

function deferred(recipient: string, reply: SmtpReply, now: number, context: TryContext): EmailEvent[] {
  if (context.simulator.aftermathOf(recipient) !== 'delivery_delayed') return []
  const event = { status: 'delivery_delayed', timestamp: now, smtp_response: reply.text } as const
  return [{ ...event, ...caused(recipient, reply, context) }]
}

function bounced(recipient: string, reply: SmtpReply, now: number, context: TryContext): EmailEvent {
  return {
    status: 'bounced',
    timestamp: now,
    ...(context.simulator.isSuppressed(recipient) ? suppressionBounce : bounceOf(reply)),
    smtp_response: reply.text,
    reporting_mta: context.reporting_mta,
    ...caused(recipient, reply, context),
  }
}

function caused(recipient: string, reply: SmtpReply, context: TryContext): { cause?: EventCause } {
  const cause = context.causeOf(recipient, reply.reply_code)
  return cause ? { cause } : {}
}
