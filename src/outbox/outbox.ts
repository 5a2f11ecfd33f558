import { systemClock, type Clock } from '../core/clock.ts'
import type { Queue } from '../core/queue.ts'
import { isErrorOf } from '../core/errors.ts'
import type { Blob, Store } from '../store/store.ts'
import { inOnePieceBytes } from '../mime/compose.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import type { EmailType } from '../emails/types.ts'
import { pendingRecipients } from '../emails/events.ts'
import { keptBytes } from '../emails/content.ts'
import { modifyEmail } from '../emails/modify.ts'
import { afterDelivery, afterFailure } from './outcome.ts'
import { bringForward, waitsTooLong } from './clock-steps.ts'
import { tryDelivery, type DeliveryDeps } from './deliver.ts'
import { createRests, restAfter } from './rests.ts'
import { writeMessage, type WriteDeps } from './write.ts'

/** Delivers accepted emails: writes each message, sends it, and records the outcome. */
export interface Outbox {
  /** Starts a search for due emails. Called once for each new email; cheap while a search is running. */
  wake(): void
  /** Resolves when no email is due or being delivered. Retries that are due later do not count. */
  idle(): Promise<void>
  /** Starts no more deliveries and waits up to three seconds for the running ones. The rest continues at the next start. */
  close(): Promise<void>
}

export interface OutboxDeps extends WriteDeps, DeliveryDeps {
  store: Store
  clock: Clock
  retryDelaysMs: readonly number[]
  hostname: string
  /** Where the writing of a large message waits for its turn: several at once would take too much memory. */
  large: Queue
  /** The first link of an email, for a simulated click. */
  firstLinkOf(email: EmailRecord): Promise<string | null>
  /** Called with internal errors, not with refusals of recipients. */
  onError(error: unknown): void
}

export function createOutbox(deps: OutboxDeps): Outbox {
  const { store, clock } = deps
  const underWay = new Map<string, Promise<void>>()
  /** The emails in `underWay` that load attachments. They do not count as busy, so that a slow server blocks no other mail. */
  const fetching = new Set<string>()
  const rests = createRests(clock)
  /** How many searches in a row failed. */
  let lookFaults = 0
  /** The time of the last search; null before the first. */
  let latest: number | null = null
  const idleWaiters: (() => void)[] = []
  /** How many emails were added, and how many were finished, since the last search. */
  let arrived = 0
  let done = 0
  let isRush = false
  let cancelRush: (() => void) | null = null
  let cancelPutOff: (() => void) | null = null
  let isPutOffOver = false
  let isClosed = false
  let isLooking = false
  let lookAgain = false
  let cancelTimer: (() => void) | null = null

  function wake(): void {
    arrived++
    goOn()
  }

  function goOn(): void {
    if (isClosed) return
    lookAgain = true
    if (!isLooking) void look()
  }

  async function look(): Promise<void> {
    isLooking = true
    try {
      while (lookAgain && !isClosed) {
        lookAgain = false
        await takeUpDue()
      }
      lookFaults = 0
    } catch (error) {
      if (!isErrorOf(error, 'closed')) report(error)
      wakeAfter(restAfter(++lookFaults))
    } finally {
      isLooking = false
      settle()
    }
  }

  async function takeUpDue(): Promise<void> {
    const most = isRush ? maxInRush : maxUnderWay
    const free = most - busy()
    if (free <= 0 || underWay.size >= maxHeld) return
    // A search is expensive, so it waits until several places are free; but not for long, as servers may be slow.
    if (free < minFree && !isPutOffOver) {
      cancelPutOff ??= systemClock.after(putOffMs, () => {
        cancelPutOff = null
        isPutOffOver = true
        goOn()
      })
      return
    }
    isPutOffOver = false
    noteRush()
    const now = clock.now()
    // The clock was set back, or this is the first search after a start, when the earlier time is unknown.
    const isStepped = latest === null || now < latest
    latest = now
    let next = Number.POSITIVE_INFINITY
    for (const type of lanes) {
      if (isStepped) await bringForward(store, type, now, deps.retryDelaysMs)
      const places = isRush ? maxInRush : maxUnderWay
      await takeUpLane(type, type === 'broadcast' ? places - minFree : places, now)
      const later = await store.page(emailCollection, {
        index: 'outbox',
        prefix: [type],
        after: [type, now],
        limit: 1,
      })
      const [first] = later.records
      if (first && waitsTooLong(first, now, deps.retryDelaysMs)) {
        await bringForward(store, type, now, deps.retryDelaysMs)
        lookAgain = true
      }
      next = Math.min(next, first?.outbox_due ?? next)
    }
    if (next < Number.POSITIVE_INFINITY) wakeAfter(Math.max(1, next - now))
  }

  // Accepting new mail takes priority while the backlog grows. If nothing was finished at all, the running deliveries wait
  // for slow servers, and further deliveries must be able to start.
  function noteRush(): void {
    isRush = arrived > maxUnderWay && done > 0 && arrived > 2 * done
    arrived = 0
    done = 0
    if (!isRush) return
    cancelRush?.()
    cancelRush = systemClock.after(rushMs, () => {
      isRush = false
      goOn()
    })
  }

  const busy = (): number => underWay.size - fetching.size - rests.size

  async function takeUpLane(type: EmailType, most: number, now: number): Promise<void> {
    const free = most - busy()
    if (free <= 0) return
    // Emails that are being delivered are still due in the store, so the limit includes them.
    const limit = underWay.size + free
    const due = await store.page(emailCollection, {
      index: 'outbox',
      prefix: [type],
      until: [type, now],
      limit,
    })
    for (const email of due.records) {
      if (busy() >= most || underWay.size >= maxHeld || isClosed) break
      if (!underWay.has(email.id)) takeUp(email)
    }
  }

  function takeUp(email: EmailRecord): void {
    const run = attempt(email).finally(() => {
      underWay.delete(email.id)
      done++
      goOn()
      settle()
    })
    underWay.set(email.id, run)
  }

  /** Never rejects. An email whose result cannot be stored stays due and is tried again later. */
  async function attempt(email: EmailRecord): Promise<void> {
    try {
      await deliver(email).catch((error: unknown) => {
        // Damaged data stays damaged, so a retry would fail again.
        if (isErrorOf(error, 'store_corrupt')) return fail(email.id, error.message)
        throw error
      })
      rests.forget(email.id)
    } catch (error) {
      if (isErrorOf(error, 'closed')) return
      report(error)
      await rests.take(email.id)
    }
  }

  // An error thrown by `onError` must not stop other deliveries.
  function report(error: unknown): void {
    try {
      deps.onError(error)
    } catch {}
  }

  async function deliver(due: EmailRecord): Promise<void> {
    const written: Blob[] = []
    const email = due.message ? due : await write(due, written)
    if (!email?.message || isClosed) return
    if (pendingRecipients(email).length === 0) return takeOut(email.id)
    const replies = await tryDelivery(email, deps, written)
    if (!replies) return fail(email.id, 'The message of this email is gone from the store.')
    const link = await deps.firstLinkOf(email)
    const rules = {
      simulator: deps.simulator,
      retryDelaysMs: deps.retryDelaysMs,
      reporting_mta: deps.hostname,
      link,
      started: email.created,
    }
    // A connection that ended because this instance is closing is not an outcome for the recipient.
    if (isClosed)
      for (const [recipient, reply] of replies) if (reply.reply_code === 0) replies.delete(recipient)
    if (replies.size > 0) {
      await modifyEmail(
        store,
        email.id,
        (stored) => stored.outbox && afterDelivery(stored, replies, clock.now(), rules),
      )
    }
  }

  // Every recipient got a final event by hand (simulation) while the message was waiting or being written.
  async function takeOut(id: string): Promise<void> {
    await modifyEmail(store, id, (stored) => stored.outbox && { ...stored, outbox: null, outbox_due: null })
  }

  async function fail(id: string, reason: string): Promise<void> {
    await modifyEmail(store, id, (stored) => stored.outbox && afterFailure(stored, reason, clock.now()))
  }

  /** @param written  Collects the blobs that are small enough to keep in memory until they are delivered. */
  async function write(email: EmailRecord, written: Blob[]): Promise<EmailRecord | null> {
    try {
      if (email.attachment_count) fetching.add(email.id)
      const size = await keptBytes(store, email)
      return size > largeBytes
        ? await deps.large.run(() => writeAndStore(email, written), Number.POSITIVE_INFINITY)
        : await writeAndStore(email, written)
    } catch (error) {
      if (isErrorOf(error, ...storeErrors)) throw error
      const reason = error instanceof Error ? error.message : String(error)
      if (!isErrorOf(error, 'attachment_failed', 'message_too_large', 'not_found')) report(error)
      await fail(email.id, reason)
      return null
    } finally {
      fetching.delete(email.id)
    }
  }

  async function writeAndStore(email: EmailRecord, written: Blob[]): Promise<EmailRecord | null> {
    const { message, blobs, discard } = await writeMessage(email, deps)
    try {
      const stored = await modifyEmail(store, email.id, (stored) => ({ ...stored, message }), blobs)
      written.push(...blobs.filter(({ size }) => size <= inOnePieceBytes))
      return stored
    } finally {
      await discard()
    }
  }

  function wakeAfter(delayMs: number): void {
    cancelTimer?.()
    cancelTimer = clock.after(delayMs, goOn)
  }

  function settle(): void {
    if (underWay.size === 0 && !isLooking && !lookAgain)
      for (const resolve of idleWaiters.splice(0)) resolve()
  }

  return {
    wake,
    idle() {
      return new Promise((resolve) => {
        idleWaiters.push(resolve)
        if (isClosed) settle()
        else goOn()
      })
    },
    async close() {
      isClosed = true
      cancelTimer?.()
      cancelRush?.()
      cancelPutOff?.()
      rests.end()
      await Promise.race([Promise.all(underWay.values()), graceOf()])
      deps.capture.close()
      deps.relay?.close()
      lookAgain = false
      settle()
    },
  }
}

// Temporary errors of the store: the email stays due.
const storeErrors = [
  'closed',
  'service_unavailable',
  'store_full',
  'store_failed',
  'store_read_only',
  'store_unknown',
] as const
/** An email that was kept with more than this waits for its turn to be written. */
const largeBytes = 1024 * 1024
/** How many emails are delivered at the same time: enough to keep the connections busy while other emails are composed. */
const maxUnderWay = 16
/** The maximum number of emails in progress, including those that load attachments. */
const maxHeld = 64
/** A search starts at once only if this many places are free. */
const minFree = 4
/** How long a search waits for more free places, in milliseconds. */
const putOffMs = 20
/** How many emails are delivered at the same time while many more come in than go out (a rush). */
const maxInRush = 6
/** After this time in milliseconds it is checked whether the rush is over. */
const rushMs = 20
/** The order of priority. Broadcasts never take the last places. */
const lanes: readonly EmailType[] = ['transactional', 'broadcast']
/** How long `close` waits for deliveries, so that a server that hangs does not block the shutdown. */
const closeGraceMs = 3000

// Uses the machine's clock, because a test's clock may be stopped.
function graceOf(): Promise<void> {
  return new Promise((resolve) => systemClock.after(closeGraceMs, resolve))
}
