/** Counts of events by name. The names come from tables of the program, so there are few. */
export type Tally<Key extends string | number = string> = Map<Key, number>

/** Counts one event, or several of the same name. */
export function count<Key extends string | number>(tally: Tally<Key>, key: Key, by: number = 1): void {
  tally.set(key, (tally.get(key) ?? 0) + by)
}

/**
 * What an instance counts for its operator, of all accounts together: plain numbers, read when they are asked for. Capture,
 * server, outbox and webhooks change them in place.
 */
export interface Counts {
  readonly smtp: SmtpCounts
  /** Answers by `<method> <route> <status>`; the route as its pattern, never the path of the request. */
  readonly requests: Tally
  /** Recipients that a delivery was tried for, by `<capture or relay> <outcome>`. */
  readonly deliveries: Tally<`${'capture' | 'relay'} ${DeliveryOutcome}`>
  readonly webhooks: Tally<WebhookOutcome>
  /** How many callers wait for mail now. */
  readonly waits: { open: number }
}

/** What the SMTP server counts; deliveries of the outbox are not among them. */
export interface SmtpCounts {
  sessions: number
  messages: number
  /** Replies of 400 and more, by their code. */
  readonly refusals: Tally<number>
}

/** The outcome of one delivery attempt for one recipient; `deferred`: it is tried again. */
export type DeliveryOutcome = 'delivered' | 'deferred' | 'bounced' | 'suppressed' | 'failed'

/** The outcome of one attempt of a webhook; `retried`: it failed, and is tried again. */
export type WebhookOutcome = 'delivered' | 'retried' | 'failed'

/** All at zero. */
export function createCounts(): Counts {
  return {
    smtp: { sessions: 0, messages: 0, refusals: new Map() },
    requests: new Map(),
    deliveries: new Map(),
    webhooks: new Map(),
    waits: { open: 0 },
  }
}
