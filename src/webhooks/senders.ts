import { WebhookSender, type SenderDeps } from './sender.ts'
import type { WebhookShape } from './shape.ts'
import type { Webhook } from './types.ts'
import { shownWebhook, type WebhookRecord } from './webhook.ts'

interface SendersDeps extends Omit<SenderDeps, 'shape'> {
  /** The forms of providers. */
  shapes: readonly WebhookShape[]
}

/** The senders of all webhooks: of those of the options, and of the stored ones, which other instances may change. */
export class WebhookSenders {
  readonly #deps: SendersDeps
  readonly byId: Map<string, WebhookSender> = new Map()
  isClosed = false

  constructor(deps: SendersDeps) {
    this.#deps = deps
  }

  add(webhook: Webhook): WebhookSender {
    const shape = this.shapeOf(webhook)
    const sender = new WebhookSender(webhook, { ...this.#deps, shape })
    this.byId.set(webhook.id, sender)
    return sender
  }

  shapeOf(webhook: Webhook): WebhookShape | null {
    return this.#deps.shapes.find(({ name }) => name === webhook.shape) ?? null
  }

  /** Adds a stored webhook, or takes its changes. */
  keep(record: WebhookRecord): void {
    if (this.isClosed) return
    const webhook = shownWebhook(record)
    const sender = this.byId.get(webhook.id)
    if (sender) sender.change(webhook)
    else this.add(webhook).wake()
  }

  /** Stops the sender of a webhook that was removed, by `remove`, a reset or another instance. */
  drop(id: string): void {
    const sender = this.byId.get(id)
    this.byId.delete(id)
    void sender?.close()
  }

  wake(): void {
    for (const sender of this.byId.values()) sender.wake()
  }

  async idle(): Promise<void> {
    await Promise.all([...this.byId.values()].map((sender) => sender.idle()))
  }

  async close(): Promise<void> {
    this.isClosed = true
    await Promise.all([...this.byId.values()].map((sender) => sender.close()))
  }
}
