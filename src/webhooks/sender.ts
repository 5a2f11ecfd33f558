import { systemClock, type Clock } from '../core/clock.ts'
import { count, type Counts } from '../core/counts.ts'
import { isErrorOf } from '../core/errors.ts'
import type { Tracer } from '../core/tracer.ts'
import { type Store, update } from '../store/store.ts'
import { attemptDelivery, attemptSpan, type Calling } from './attempt.ts'
import { afterAttempt } from './deliveries.ts'
import { type WebhookDeliveryRecord, webhookDeliveryCollection } from './webhook.ts'
import type { WebhookShape } from './shape.ts'
import type { Webhook } from './types.ts'

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
 * Sends the due deliveries of one webhook, up to four at once, the earliest due first. Each webhook has its own sender, so
 * that none waits for another. Two events of one email or domain are never sent at once, so that their first tries are in
 * order. A delivery that waits for a retry does not delay later ones.
 *
 * Due deliveries are read from the store when one can be sent, and none are queued in memory. If the process ends between
 * an answer and its commit, the event is sent again after the next start, with the same `webhook-id`: at least once.
 *
 * At most one loop looks for due deliveries. A call of `wake` makes it look once more, unless the sender is paused or closed.
 */
export class WebhookSender {
  readonly #deps: SenderDeps
  #webhook: Webhook
  /** The deliveries that are being sent, by their ids. */
  readonly #underWay = new Map<string, UnderWay>()
  /** Deliveries that ended since the last read of due ones began. That read may return them as they were before. */
  readonly #ended = new Set<string>()
  readonly #idleWaiters: (() => void)[] = []
  #waiting = 0
  /** `paused`: for a second, after an error of the store. */
  #state: 'open' | 'paused' | 'closed' = 'open'
  #isLooking = false
  /** Whether `wake` was called since the loop looked last. */
  #lookAgain = false
  /** Stops the timer that wakes the sender: for the next delivery that is not due yet, or at the end of the pause. */
  #cancelTimer: (() => void) | null = null

  constructor(webhook: Webhook, deps: SenderDeps) {
    this.#webhook = webhook
    this.#deps = deps
  }

  get webhook(): Webhook {
    return this.#webhook
  }

  get shape(): WebhookShape | null {
    return this.#deps.shape
  }

  /** How many deliveries wait or are running, when they were last counted. */
  get waiting(): number {
    return this.#waiting
  }

  /** Takes the changed members of the webhook, and sends what waited while it was disabled. */
  change(webhook: Webhook): void {
    this.#webhook = webhook
    this.wake()
  }

  /** Call after new deliveries were stored. */
  added(count: number): void {
    this.#waiting += count
    this.wake()
  }

  /** Counts the waiting deliveries, and sends those that are due if this instance is the leader. */
  wake(): void {
    this.#lookAgain = true
    if (!this.#isLooking) void this.#look()
  }

  /** Resolves when no delivery is due or running. Retries may still wait for their time. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idleWaiters.push(resolve)
      this.wake()
      this.#settle()
    })
  }

  /** Aborts running deliveries, which stay due, and starts no more. */
  async close(): Promise<void> {
    this.#state = 'closed'
    this.#cancelTimer?.()
    const open = [...this.#underWay.values()]
    for (const { controller } of open) controller.abort(new Error('Localpost is closing'))
    await Promise.all(open.map(({ run }) => run))
    this.#settle()
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    try {
      while (this.#lookAgain && this.#state === 'open') {
        this.#lookAgain = false
        if (!this.#maySend()) await this.#countForOther()
        else if (this.#underWay.size < maxUnderWay) await this.#sendDue()
      }
    } catch (error) {
      this.#pauseAfter(error)
    } finally {
      this.#isLooking = false
      this.#settle()
    }
  }

  #maySend(): boolean {
    const { leadership } = this.#deps.store
    return this.#state === 'open' && !this.#webhook.disabled && leadership.isMine()
  }

  /** Counts if another instance sends. After an error the next wake counts again. */
  async #countForOther(): Promise<void> {
    if (this.#deps.store.leadership.isMine()) return
    await this.#count().catch((error: unknown) => {
      if (!isErrorOf(error, 'closed')) this.#deps.onError(error)
    })
  }

  async #count(): Promise<void> {
    const ofWebhook = { index: 'due', prefix: [this.#webhook.id] }
    this.#waiting = await this.#deps.store.count(webhookDeliveryCollection, ofWebhook)
  }

  async #sendDue(): Promise<void> {
    const { store, clock } = this.#deps
    const { id } = this.#webhook
    const ofWebhook = { index: 'due', prefix: [id] }
    this.#ended.clear()
    const now = clock.now()
    const dueNow = { ...ofWebhook, until: [id, now], limit: maxRead }
    const due = await store.page(webhookDeliveryCollection, dueNow)
    const later = await store.page(webhookDeliveryCollection, { ...ofWebhook, after: [id, now], limit: 1 })
    await this.#count()
    for (const delivery of due.records) {
      // Nothing is sent beside the request to confirm the webhook, which is the first delivery. The webhook is its subject.
      const isConfirming = this.#isUnderWay(id)
      if (this.#underWay.size >= maxUnderWay || isConfirming || !this.#maySend()) break
      if (this.#underWay.has(delivery.id) || this.#ended.has(delivery.id)) continue
      if (!this.#isUnderWay(subjectOf(delivery))) this.#begin(delivery)
    }
    const next = later.records[0]?.due ?? null
    if (next === null || this.#state !== 'open') return
    this.#cancelTimer?.()
    this.#cancelTimer = clock.after(Math.max(1, next - now), () => this.wake())
  }

  #isUnderWay(subject: string): boolean {
    return [...this.#underWay.values()].some((one) => one.subject === subject)
  }

  #begin(delivery: WebhookDeliveryRecord): void {
    const controller = new AbortController()
    const run = this.#send(delivery, controller)
      .catch((error: unknown) => {
        // The delivery was removed, so its result is not needed.
        if (!isErrorOf(error, 'version_conflict')) this.#pauseAfter(error)
      })
      .finally(() => {
        this.#underWay.delete(delivery.id)
        this.#ended.add(delivery.id)
        this.wake()
      })
    this.#underWay.set(delivery.id, { subject: subjectOf(delivery), controller, run })
  }

  async #send(delivery: WebhookDeliveryRecord, controller: AbortController): Promise<void> {
    const { store, clock, timeoutMs, retryDelaysMs, tally, onFinished } = this.#deps
    const webhook = this.#webhook
    // Real time, because the receiver does not follow a clock that tests move.
    const cancelLimit = systemClock.after(timeoutMs, () =>
      controller.abort(new Error(`no answer within ${timeoutMs} ms`)),
    )
    const span = attemptSpan(webhook, delivery, this.#deps.tracer)
    const how = { ...this.#deps, now: clock.now(), signal: controller.signal, trace: span.trace }
    const attempt = await attemptDelivery(webhook, delivery, how)
    cancelLimit()
    // Closing aborted it, so this was not a failure of the receiver. The span is left without an end, on purpose: the try
    // is repeated.
    if (this.#state === 'closed' && attempt.status === null) return
    span.end(attempt)
    const changed = afterAttempt(delivery, attempt, retryDelaysMs, clock.now())
    await store.commit([update(webhookDeliveryCollection, changed)])
    if (tally) count(tally, changed.state === 'pending' ? 'retried' : changed.state)
    if (changed.due === null) onFinished()
  }

  /** Waits a second. The store may be full for now; a delivery whose result could not be stored stays due, and is sent again. */
  #pauseAfter(error: unknown): void {
    if (this.#state === 'closed' || isErrorOf(error, 'closed')) return
    this.#deps.onError(error)
    this.#state = 'paused'
    this.#cancelTimer?.()
    this.#cancelTimer = this.#deps.clock.after(pauseMs, () => {
      this.#state = 'open'
      this.wake()
    })
  }

  #settle(): void {
    if (this.#underWay.size > 0 || this.#isLooking || (this.#lookAgain && this.#maySend())) return
    for (const resolve of this.#idleWaiters.splice(0)) resolve()
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
const maxRead = 32
const pauseMs = 1000

/** What the event of a delivery is about: an email, a domain, or the webhook itself. */
function subjectOf({ payload: { data } }: WebhookDeliveryRecord): string {
  if ('email_id' in data) return data.email_id
  return 'domain_id' in data ? data.domain_id : data.webhook_id
}
