import type { Clock } from '../core/clock.ts'
import { count, type Counts, type DeliveryOutcome } from '../core/counts.ts'
import { isErrorOf } from '../core/errors.ts'
import { emailCollection, type EmailRecord, modifyEmail } from '../emails/email.ts'
import { pendingRecipients } from '../emails/events.ts'
import type { DeliveryDeps } from './deliver.ts'
import { afterDelivery, afterFailure, afterSuppression, outcomesOf, type TryContext } from './outcome.ts'
import type { SmtpReply } from './replies.ts'
import { deliverTraced } from './traced.ts'
import { writeDue, type WriteDueDeps } from './write-due.ts'

export interface AttemptDeps extends WriteDueDeps, DeliveryDeps {
  clock: Clock
  /** Waits before the second, third, … try, in milliseconds. */
  retryDelaysMs: readonly number[]
  hostname: string
  /** Whether a recipient gets no mail, because the address is on the suppression list of the account. */
  isOnSuppressionList(recipient: string): boolean
  causeOf: TryContext['causeOf']
  /** The first link of an email, for a simulated click. */
  firstLinkOf(email: EmailRecord): Promise<string | null>
  /** Counts the recipients of each outcome. Default: nothing is counted. */
  tally?: Counts['deliveries'] | undefined
  /** Called with internal errors, not with refusals of recipients. */
  onError(error: unknown): void
}

/**
 * Writes the message of an email if it has none yet, tries its delivery and stores the outcome.
 *
 * @param pause  As for {@link writeDue}.
 * @returns When the next try is due: Unix time in milliseconds; null if there is none.
 * @throws Errors of the store. The email stays due.
 */
export async function attempt(
  id: string,
  deps: AttemptDeps,
  pause: (isPaused: boolean) => void,
): Promise<number | null> {
  try {
    const due = await deps.store.get(emailCollection, id)
    if (!due?.outbox) return null
    // The search for due emails may have read it before its last try was stored.
    if (due.outbox_due !== null && due.outbox_due > deps.clock.now()) return due.outbox_due
    const stored = await tryOnce(due, deps, pause)
    return stored?.outbox_due ?? null
  } catch (error) {
    // Damaged data in a folder stays damaged, so a retry would fail again. In a database, blobs may be missing until a
    // restore has ended.
    if (!isErrorOf(error, 'store_corrupt') || deps.store.isShared) throw error
    await fail(id, error.message, deps)
    return null
  }
}

/** @returns The email as stored after the try; null if nothing is left to do for it in this instance. */
async function tryOnce(
  due: EmailRecord,
  deps: AttemptDeps,
  pause: (isPaused: boolean) => void,
): Promise<EmailRecord | null> {
  const composed = due.message ? { email: due, written: [] } : await writeDue(due, deps, pause)
  if ('failure' in composed) {
    await fail(due.id, composed.failure, deps)
    return null
  }
  const { written } = composed
  const email = composed.email && (await withoutSuppressed(composed.email, deps))
  if (!email?.message || deps.isClosed()) return null
  // While the message waited or was written, simulated events gave every recipient a final event.
  if (pendingRecipients(email).length === 0)
    return (await modifyDue(email.id, deps, (stored) => ({ ...stored, outbox: null, outbox_due: null })))
      .after
  const replies = await deliverTraced(email, deps, written)
  if (!replies) return fail(email.id, 'The message of this email is gone from the store.', deps)
  // A connection that ended because this instance is closing is not an outcome for the recipient.
  if (deps.isClosed())
    for (const [recipient, reply] of replies) if (reply.reply_code === 0) replies.delete(recipient)
  return replies.size === 0 ? null : storeOutcomes(email, replies, deps)
}

async function storeOutcomes(
  email: EmailRecord,
  replies: ReadonlyMap<string, SmtpReply>,
  deps: AttemptDeps,
): Promise<EmailRecord | null> {
  const { clock, retryDelaysMs, simulator } = deps
  const way = wayOf(email, deps)
  const viaOf = (recipient: string): 'capture' | 'relay' =>
    simulator.isSimulator(recipient) ? 'capture' : way
  const context: TryContext = {
    simulator,
    // Replies of a relay have no cause on this machine.
    causeOf: (recipient, code) => (viaOf(recipient) === 'relay' ? undefined : deps.causeOf(recipient, code)),
    retryDelaysMs,
    reporting_mta: deps.hostname,
    // The delivery has happened: without the link, only a simulated click is missing.
    link: await deps.firstLinkOf(email).catch(() => null),
    started: email.created,
  }
  const { before, after } = await modifyDue(email.id, deps, (stored) =>
    afterDelivery(stored, replies, clock.now(), context),
  )
  // Those of the email as it was changed: a simulated event may have come first.
  if (before)
    for (const [recipient, outcome] of outcomesOf(before, replies, retryDelaysMs))
      note(deps, viaOf(recipient), outcome)
  return after
}

/**
 * Changes an email that the outbox still has.
 *
 * @returns `before`: the email that was changed, null if there was none; `after`: the email as stored now, null if it
 *   was removed.
 */
async function modifyDue(
  id: string,
  { store }: Pick<AttemptDeps, 'store'>,
  change: (email: EmailRecord) => EmailRecord,
): Promise<{ before: EmailRecord | null; after: EmailRecord | null }> {
  const changed: { before: EmailRecord | null } = { before: null }
  const after = await modifyEmail(store, id, (stored) => {
    changed.before = stored.outbox ? stored : null
    return changed.before ? change(changed.before) : null
  })
  return { before: after && changed.before, after }
}

function note(
  { tally }: Pick<AttemptDeps, 'tally'>,
  via: 'capture' | 'relay',
  outcome: DeliveryOutcome,
  recipients = 1,
): void {
  if (tally && recipients > 0) count(tally, `${via} ${outcome}`, recipients)
}

/** Gives the recipients on the suppression list their outcome. @returns The email as stored now; null if it was removed. */
async function withoutSuppressed(email: EmailRecord, deps: AttemptDeps): Promise<EmailRecord | null> {
  if (email.ignores_suppressions) return email
  const suppressed = pendingRecipients(email).filter(deps.isOnSuppressionList)
  if (suppressed.length === 0) return email
  let left = suppressed
  const after = await modifyEmail(deps.store, email.id, (stored) => {
    const pending = new Set(pendingRecipients(stored))
    left = suppressed.filter((recipient) => pending.has(recipient))
    return afterSuppression(stored, left, deps.clock.now(), deps.hostname)
  })
  if (after) note(deps, wayOf(email, deps), 'suppressed', left.length)
  return after
}

async function fail(id: string, reason: string, deps: AttemptDeps): Promise<EmailRecord | null> {
  const { before, after } = await modifyDue(id, deps, (stored) =>
    afterFailure(stored, reason, deps.clock.now()),
  )
  if (before) note(deps, wayOf(before, deps), 'failed', pendingRecipients(before).length)
  return after
}

function wayOf({ outbox }: EmailRecord, { relay }: AttemptDeps): 'capture' | 'relay' {
  return outbox?.via === 'relay' && relay !== null ? 'relay' : 'capture'
}
