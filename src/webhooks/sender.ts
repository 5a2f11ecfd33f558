import { systemClock, type Clock } from '../core/clock.ts'
import { count, type Counts } from '../core/counts.ts'
import { isErrorOf } from '../core/errors.ts'
import type { Tracer } from '../core/tracer.ts'
import { type Store, update } from '../store/store.ts'
import { attemptAttributes, attemptDelivery, attemptFailure, type Calling } from './attempt.ts'
import { afterAttempt } from './deliveries.ts'
import { type WebhookDeliveryRecord, webhookDeliveryCollection } from './webhook.ts'
import type { WebhookShape } from './shape.ts'
import type { Webhook } from './types.ts'

/** Sends the due deliveries of one webhook. Each webhook has its own sender, so that none waits for another. */
export interface WebhookSender {
  /** As it is now. */
  readonly webhook: Webhook
  /** The form of a provider; null for that of Localpost. */
  readonly shape: WebhookShape | null
  /** How many deliveries wait or are running, when they were last counted. */
  readonly waiting: number
  /** Goes on with a webhook that was changed. */
  change(webhook: Webhook): void
  /** Call after new deliveries were stored. */
  added(count: number): void
  /** Looks for due deliveries, if this instance is the leader. */
  wake(): void
  /** Resolves when no delivery is due or running. Retries may still wait for their time. */
  idle(): Promise<void>
  /** Aborts running deliveries, which stay due, and starts no more. */
  close(): Promise<void>
}

export interface SenderDeps extends Calling {
  store: Store
  clock: Clock
  /** The form of a provider; null for that of Localpost. */
  shape: WebhookShape | null
  retryDelaysMs: readonly number[]
  tracer: Tracer | null
  /** Limit of one try, in milliseconds. */
  timeoutMs: number
  /** Counts tries. Default: nothing is counted. */
  tally?: Counts['webhooks'] | undefined
  /** Called after each finished delivery. */
  onFinished(): void
  /** Called with errors that no receiver caused. */
  onError(error: unknown): void
}

/**
 * Sends up to four deliveries at once, the earliest due first. Two events of one email or domain are never sent at once, so
 * that their first tries are in order. A delivery that waits for a retry does not delay later ones.
 *
 * Due deliveries are read from the store when one can be sent, and none are queued in memory. If the process ends between
 * an answer and its commit, the event is sent again after the next start, with the same `webhook-id`: at least once.
 */
export function createSender(given: Webhook, deps: SenderDeps): WebhookSender {
  let webhook = given
  const { store, clock } = deps
  const mine = { index: 'due', prefix: [given.id] }
  /** The deliveries that are being sent, by their ids. */
  const underWay = new Map<string, UnderWay>()
  const idleWaiters: (() => void)[] = []
  let waiting = 0
  let isClosed = false
  let isLooking = false
  let isCounting = false
  /** Deliveries that ended since the last read of due ones began. That read may return them as they were before. */
  const ended = new Set<string>()
  let lookAgain = false
  let isPaused = false
  let cancelTimer: (() => void) | null = null

  function wake(): void {
    if (!store.leadership.isMine()) void recount()
    lookAgain = true
    if (!isLooking && mayLook()) void look()
  }

  /** Reads the number of waiting deliveries from the store, which is the only source while another instance sends. */
  async function recount(): Promise<void> {
    if (isCounting || isClosed) return
    isCounting = true
    try {
      waiting = await store.count(webhookDeliveryCollection, mine)
    } catch (error) {
      if (!isErrorOf(error, 'closed')) deps.onError(error)
    } finally {
      isCounting = false
    }
  }

  const mayLook = (): boolean => !isClosed && !isPaused && !webhook.disabled && store.leadership.isMine()

  async function look(): Promise<void> {
    isLooking = true
    try {
      while (lookAgain && mayLook()) {
        lookAgain = false
        await takeUpDue()
      }
    } catch (error) {
      pauseAfter(error)
    } finally {
      isLooking = false
      settle()
    }
  }

  function settle(): void {
    const isBusy = underWay.size > 0 || isLooking || (lookAgain && mayLook())
    if (!isBusy) for (const resolve of idleWaiters.splice(0)) resolve()
  }

  async function takeUpDue(): Promise<void> {
    if (underWay.size >= maxUnderWay) return
    ended.clear()
    const now = clock.now()
    const due = await store.page(webhookDeliveryCollection, {
      ...mine,
      until: [webhook.id, now],
      limit: maxLooked,
    })
    const later = await store.page(webhookDeliveryCollection, {
      ...mine,
      after: [webhook.id, now],
      limit: 1,
    })
    waiting = await store.count(webhookDeliveryCollection, mine)
    for (const delivery of due.records) {
      // Nothing is sent beside the request to confirm the webhook, which is the first delivery.
      if (underWay.size >= maxUnderWay || isUnderWay(webhook.id) || !mayLook()) break
      if (underWay.has(delivery.id) || ended.has(delivery.id) || isUnderWay(subjectOf(delivery))) continue
      takeUp(delivery)
    }
    const next = later.records[0]?.due
    if (next !== undefined && next !== null) wakeAfter(Math.max(1, next - now))
  }

  const isUnderWay = (subject: string): boolean =>
    [...underWay.values()].some((one) => one.subject === subject)

  function takeUp(delivery: WebhookDeliveryRecord): void {
    const controller = new AbortController()
    const run = send(delivery, controller)
      .catch((error: unknown) => {
        // The delivery was removed, so its result is not needed.
        if (!isErrorOf(error, 'version_conflict')) pauseAfter(error)
      })
      .finally(() => {
        underWay.delete(delivery.id)
        ended.add(delivery.id)
        wake()
        settle()
      })
    underWay.set(delivery.id, { subject: subjectOf(delivery), controller, run })
  }

  async function send(delivery: WebhookDeliveryRecord, controller: AbortController): Promise<void> {
    // Real time, because the receiver does not follow a clock that tests move.
    const cancelLimit = systemClock.after(deps.timeoutMs, () =>
      controller.abort(new Error(`no answer within ${deps.timeoutMs} ms`)),
    )
    const { signal } = controller
    const { lookup, problemOf, shape } = deps
    const { traceparent, tracestate } = delivery
    const parent = traceparent === undefined ? undefined : { traceparent, tracestate }
    const span = parent && deps.tracer?.begin('email webhook', parent)
    const trace = span?.trace ?? parent
    const how = { now: clock.now(), signal, lookup, problemOf, shape, trace }
    const attempt = await attemptDelivery(webhook, delivery, how)
    cancelLimit()
    // Closing aborted it, so this was not a failure of the receiver. The span is left without an end, on purpose: the try
    // is repeated.
    if (isClosed && attempt.status === null) return
    span?.end(attemptAttributes(webhook, delivery, attempt), attemptFailure(attempt))
    const changed = afterAttempt(delivery, attempt, deps.retryDelaysMs, clock.now())
    await store.commit([update(webhookDeliveryCollection, changed)])
    if (deps.tally) count(deps.tally, changed.state === 'pending' ? 'retried' : changed.state)
    if (changed.due === null) deps.onFinished()
  }

  // The store may be full for now. A delivery whose result could not be stored stays due and is sent again.
  function pauseAfter(error: unknown): void {
    if (isClosed || isErrorOf(error, 'closed')) return
    deps.onError(error)
    isPaused = true
    cancelTimer?.()
    cancelTimer = clock.after(faultDelayMs, () => {
      isPaused = false
      wake()
    })
  }

  function wakeAfter(delayMs: number): void {
    if (isClosed || isPaused) return
    cancelTimer?.()
    cancelTimer = clock.after(delayMs, wake)
  }

  return {
    get webhook() {
      return webhook
    },
    shape: deps.shape,
    change(changed) {
      webhook = changed
      // What waited while it was disabled is due.
      wake()
    },
    get waiting() {
      return waiting
    },
    added(count) {
      waiting += count
    },
    wake,
    idle() {
      return new Promise((resolve) => {
        idleWaiters.push(resolve)
        wake()
        settle()
      })
    },
    async close() {
      isClosed = true
      cancelTimer?.()
      const open = [...underWay.values()]
      for (const { controller } of open) controller.abort(new Error('Localpost is closing'))
      await Promise.all(open.map(({ run }) => run))
      settle()
    },
  }
}

interface UnderWay {
  /** What its event is about. */
  subject: string
  controller: AbortController
  run: Promise<void>
}

const maxUnderWay = 4
/** How many due deliveries are read at once: the first ones may all be of one email, of which only one is sent at a time. */
const maxLooked = 32
/** Wait after a fault of the store before anything is tried again. */
const faultDelayMs = 1000

/** What the event of a delivery is about: an email, a domain, or the webhook itself. */
function subjectOf({ payload: { data } }: WebhookDeliveryRecord): string {
  if ('email_id' in data) return data.email_id
  return 'domain_id' in data ? data.domain_id : data.webhook_id
}
