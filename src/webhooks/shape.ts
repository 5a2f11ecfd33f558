import type { EmailRecord } from '../emails/email.ts'
import type { EmailEvent } from '../emails/types.ts'
import type { EmailEventType } from './types.ts'

/** How the webhooks of a provider write the events of emails. They get no events of domains. */
export interface WebhookShape {
  /** What `shape` of a webhook says: `resend`. */
  readonly name: string
  /** Its events by name, each with the events of Localpost that it reports. */
  readonly events: Readonly<Record<string, EmailEventType | readonly EmailEventType[]>>
  /**
   * @param webhookId  The webhook that gets it.
   * @returns What is posted, each in a request of its own; null if the provider has no such event.
   */
  email(event: ShapedEvent, webhookId: string): ShapedBody | readonly ShapedBody[] | null
  /** The body of one request, where the signature is in it. Default: that of the event. */
  body?(request: ShapedRequest): string
  /** The headers of one request beside `content-type`. */
  headers(request: ShapedRequest): Readonly<Record<string, string>>
  /** What a webhook that is created gets first, with a URL to confirm it. Default: nothing. */
  readonly confirmation?: ShapedConfirmation
}

/** How a provider has a webhook confirmed. */
export interface ShapedConfirmation {
  /** @returns What is posted. @param request.url  Confirms the webhook by one GET. */
  body(request: { webhookId: string; token: string; url: string; time: number }): unknown
  /** What that GET gets. */
  answer(webhookId: string): { readonly type: string; readonly text: string }
}

/** An event of one recipient of an email. */
export interface ShapedEvent {
  readonly email: EmailRecord
  readonly recipient: string
  readonly event: EmailEvent
}

/** What is posted for an event. */
export interface ShapedBody {
  /** The provider's name of the event, by which a webhook may choose. */
  readonly type: string
  readonly body: unknown
}

/** One try to post an event. */
export interface ShapedRequest {
  /** The same for every try. */
  readonly id: string
  readonly time: Date
  readonly body: string
  readonly secret: string
  /** Signs id, time and body as Standard Webhooks says. */
  sign(): string
}
