import type { Clock } from '../core/clock.ts'
import { count, type Counts, type DeliveryOutcome } from '../core/counts.ts'
import { isErrorOf } from '../core/errors.ts'
import { beginOf, failureOf, type Tracer } from '../core/tracer.ts'
import type { JobQueue } from '../core/job-queue.ts'
import {
  attachmentsBlob,
  contentBlob,
  emailCollection,
  rawBlob,
  type EmailRecord,
  modifyEmail,
} from '../emails/email.ts'
import { pendingRecipients } from '../emails/events.ts'
import { inOnePieceBytes } from '../mime/compose/compose.ts'
import { largeMailBytes } from '../reading/reader.ts'
import type { Blob } from '../store/store.ts'
import { tryDelivery, type DeliveryDeps } from './deliver.ts'
import type { Downloads } from './downloads.ts'
import { afterDelivery, afterFailure, afterSuppression, replyOutcome, type OutcomeRules } from './outcome.ts'
import type { SmtpReply } from './replies.ts'
import { hasDownloads, writeMessage, type WriteDeps } from './write.ts'

export interface AttemptDeps extends WriteDeps, DeliveryDeps {
  clock: Clock
  /** Waits before the second, third, … try, in milliseconds. */
  retryDelaysMs: readonly number[]
  hostname: string
  /** Default: none. */
  tracer?: Tracer | null
  /** Whether a recipient gets no mail, because the address is on the suppression list of the account. */
  isOnSuppressionList(recipient: string): boolean
  causeOf: OutcomeRules['causeOf']
  /** The queue for writing large messages: several at once would take too much memory. */
  largeWrites: JobQueue
  /** The queue for writing messages with attachments from URLs. */
  downloads: Downloads
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
 * @param fetching  Called with true before attachments are loaded, and with false afterwards.
 * @returns When the next try is due: Unix time in milliseconds; null if there is none.
 * @throws Errors of the store. The email stays due.
 */
export async function attempt(
  id: string,
  deps: AttemptDeps,
  fetching: (isFetching: boolean) => void,
): Promise<number | null> {
  try {
    const due = await deps.store.get(emailCollection, id)
    if (!due?.outbox) return null
    // The search for due emails may have read it before its last try was stored.
    if (due.outbox_due !== null && due.outbox_due > deps.clock.now()) return due.outbox_due
    const stored = await deliver(due, deps, fetching)
    return stored?.outbox_due ?? null
  } catch (error) {
    // Damaged data stays damaged, so a retry would fail again.
    if (!isErrorOf(error, 'store_corrupt')) throw error
    await fail(id, error.message, deps)
    return null
  }
}

async function deliver(
  due: EmailRecord,
  deps: AttemptDeps,
  fetching: (isFetching: boolean) => void,
): Promise<EmailRecord | null> {
  const { store, clock, retryDelaysMs, simulator } = deps
  const written: Blob[] = []
  const composed = due.message ? due : await write(due, deps, written, fetching)
  const email = composed && (await withoutSuppressed(composed, deps))
  if (!email?.message || deps.isClosed()) return null
  // While the message waited or was written, simulated events gave every recipient a final event.
  if (pendingRecipients(email).length === 0)
    return modifyEmail(
      store,
      email.id,
      (stored) => stored.outbox && { ...stored, outbox: null, outbox_due: null },
    )
  const replies = await deliverTraced(email, deps, written)
  if (!replies) return fail(email.id, 'The message of this email is gone from the store.', deps)
  // The delivery has happened: without the link, only a simulated click is missing.
  const link = await deps.firstLinkOf(email).catch(() => null)
  // Replies of a relay have no cause on this machine.
  const isRelayed = email.outbox?.via === 'relay' && deps.relay !== null
  const causeOf: OutcomeRules['causeOf'] = (recipient, code) =>
    isRelayed && !simulator.isSimulator(recipient) ? undefined : deps.causeOf(recipient, code)
  const rules = {
    simulator,
    causeOf,
    retryDelaysMs,
    reporting_mta: deps.hostname,
    link,
    started: email.created,
  }
  // A connection that ended because this instance is closing is not an outcome for the recipient.
  if (deps.isClosed())
    for (const [recipient, reply] of replies) if (reply.reply_code === 0) replies.delete(recipient)
  if (replies.size === 0) return null
  let before: EmailRecord | null = null
  const after = await modifyEmail(store, email.id, (stored) => {
    before = stored.outbox && stored
    return before && afterDelivery(before, replies, clock.now(), rules)
  })
  if (after && before) noteOutcomes(before, replies, isRelayed, deps)
  return after
}

/** @param before  The email whose recipients got the outcomes: a simulated event may have come first. */
function noteOutcomes(
  before: EmailRecord,
  replies: ReadonlyMap<string, SmtpReply>,
  isRelayed: boolean,
  deps: AttemptDeps,
): void {
  const mayRetry = deps.retryDelaysMs[before.outbox?.attempts ?? 0] !== undefined
  for (const recipient of pendingRecipients(before)) {
    const reply = replies.get(recipient)
    const via = isRelayed && !deps.simulator.isSimulator(recipient) ? 'relay' : 'capture'
    if (reply) note(deps, via, replyOutcome(reply, mayRetry))
  }
}

function note(
  { tally }: Pick<AttemptDeps, 'tally'>,
  via: 'capture' | 'relay',
  outcome: DeliveryOutcome,
  recipients = 1,
): void {
  if (tally && recipients > 0) count(tally, `${via} ${outcome}`, recipients)
}

/** {@link tryDelivery} as a span. */
async function deliverTraced(
  email: EmailRecord,
  deps: AttemptDeps,
  written: readonly Blob[],
): ReturnType<typeof tryDelivery> {
  const span = beginOf(deps.tracer, 'email deliver', email)
  if (!span) return tryDelivery(email, deps, written)
  const facts = {
    'localpost.email.id': email.id,
    'localpost.via': email.outbox?.via ?? 'capture',
    'localpost.attempt': (email.outbox?.attempts ?? 0) + 1,
    'network.protocol.name': 'smtp',
  }
  try {
    const replies = await tryDelivery(email, deps, written)
    const refused = [...(replies?.values() ?? [])].filter(
      ({ reply_code }) => reply_code < 200 || reply_code >= 300,
    )
    const counts = {
      'localpost.recipient.count': replies?.size ?? 0,
      'localpost.refused.count': refused.length,
    }
    // A connection that ended without a reply has the code 0.
    const failure = refused[0] && (refused[0].reply_code === 0 ? 'connection' : String(refused[0].reply_code))
    span.end({ ...facts, ...counts }, replies ? failure : 'not_found')
    return replies
  } catch (error) {
    span.end(facts, failureOf(error))
    throw error
  }
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
  const { store, clock } = deps
  let before: EmailRecord | null = null
  const after = await modifyEmail(store, id, (stored) => {
    before = stored.outbox && stored
    return before && afterFailure(before, reason, clock.now())
  })
  if (after && before) note(deps, wayOf(before, deps), 'failed', pendingRecipients(before).length)
  return after
}

function wayOf({ outbox }: EmailRecord, { relay }: AttemptDeps): 'capture' | 'relay' {
  return outbox?.via === 'relay' && relay !== null ? 'relay' : 'capture'
}

/**
 * @param written  Collects the blobs that are small enough to keep in memory until they are delivered.
 * @returns The email with its message; null if it failed.
 */
async function write(
  email: EmailRecord,
  deps: AttemptDeps,
  written: Blob[],
  fetching: (isFetching: boolean) => void,
): Promise<EmailRecord | null> {
  try {
    if (email.attachment_count) fetching(true)
    const size = await keptBytes(email, deps)
    const run = (): Promise<EmailRecord | null> => writeAndStore(email, deps, written)
    if (await hasDownloads(email, deps)) return await deps.downloads(run)
    return await (size > largeMailBytes ? deps.largeWrites.run(run, Number.POSITIVE_INFINITY) : run())
  } catch (error) {
    if (isErrorOf(error, ...storeErrors)) throw error
    const reason = error instanceof Error ? error.message : String(error)
    if (!isErrorOf(error, 'attachment_failed', 'message_too_large', 'not_found')) deps.onError(error)
    await fail(email.id, reason, deps)
    return null
  } finally {
    if (email.attachment_count) fetching(false)
  }
}

/** How many bytes of an API send are stored outside its record. */
async function keptBytes(
  { id, attachment_count, raw }: EmailRecord,
  { store }: AttemptDeps,
): Promise<number> {
  const content = (await store.blobSize(contentBlob(id))) ?? 0
  if (raw) return content + ((await store.blobSize(rawBlob(id))) ?? 0)
  return attachment_count === 0 ? content : content + ((await store.blobSize(attachmentsBlob(id))) ?? 0)
}

async function writeAndStore(
  email: EmailRecord,
  deps: AttemptDeps,
  written: Blob[],
): Promise<EmailRecord | null> {
  const { message, blobs, discard } = await writeTraced(email, deps)
  try {
    const stored = await modifyEmail(deps.store, email.id, (stored) => ({ ...stored, message }), blobs)
    written.push(...blobs.filter(({ size }) => size <= inOnePieceBytes))
    return stored
  } finally {
    await discard()
  }
}

/** {@link writeMessage} as a span. */
async function writeTraced(email: EmailRecord, deps: AttemptDeps): ReturnType<typeof writeMessage> {
  const span = beginOf(deps.tracer, 'email compose', email)
  if (!span) return writeMessage(email, deps)
  const facts = { 'localpost.email.id': email.id, 'localpost.attachment.count': email.attachment_count ?? 0 }
  try {
    const written = await writeMessage(email, deps)
    span.end({ ...facts, 'localpost.message.size_bytes': written.message.size_bytes })
    return written
  } catch (error) {
    span.end(facts, failureOf(error))
    throw error
  }
}

/** Errors of a store that cannot store an outcome. The email then stays due. */
export const storeErrors = [
  'closed',
  'service_unavailable',
  'store_full',
  'store_failed',
  'store_read_only',
  'store_unknown',
] as const
