import type { TraceContext } from '../core/trace-context.ts'
import type { EmailService } from '../emails/emails.ts'
import type { Found } from './find-by-provider.ts'
import type { SendingResult } from './results.ts'
import type { Schedule } from './schedule.ts'
import type { Scheduled } from './scheduled.ts'
import type { SentEmail } from './types.ts'

/** How a call is accepted. */
export interface SendingOptions {
  /** The interface that the call came by. Each has idempotency keys of its own. */
  surface: string
  /** At most 256 characters, remembered for 24 hours, for all requests of the call together. */
  idempotencyKey?: string | undefined
  /**
   * The hash by which a repeated call is recognized. Give it where the requests were translated, and the translation may
   * differ each time. Default: made of the requests.
   */
  bodyHash?: string | undefined
  /** That of the request that the call came by. Default: none. */
  trace?: TraceContext | undefined
  /** Whether the right requests are accepted where others are wrong. Default: false. */
  partial?: boolean
  /** Whether the requests are checked and not accepted: no result has an id. Default: false. */
  checkOnly?: boolean
  /** How many distinct recipients an email may have. Default: 1000. */
  maxRecipients?: number | undefined
  /** How many days ahead an email may be scheduled. Default: about 10 years. */
  maxAheadDays?: number | undefined
}

/** Accepts whole requests from every surface. */
export interface SendingService {
  /**
   * Accepts emails in one commit; they are delivered afterwards.
   *
   * @param requests  1 to 1,000 of type `SendingRequest`, not checked yet.
   * @returns A result for each request, in their order.
   * @throws Without `partial`, the error of the first wrong request: validation_error or one of `sendErrors`. Its fields
   *   begin with `[i].` where there are several requests. In any case idempotency_conflict, state_conflict if too many
   *   emails wait for their time, and errors of the store. Nothing was stored then.
   */
  accept(requests: readonly unknown[], options: SendingOptions): Promise<{ results: SendingResult[] }>
  /**
   * Accepts one request, or an array of them: the body of a request to this instance, or the argument of a call.
   *
   * @throws As {@link SendingService.accept}; invalid_json and payload_too_large for a long body.
   */
  send(input: unknown, options: Omit<SendingOptions, 'partial'>): Promise<SentEmail[]>
  /** The emails whose provider gave this id in its answer, in order; null if there is none. */
  find(provider: string, messageId: string): Promise<Found | null>
  /** The emails that are sent later. */
  readonly scheduled: Scheduled
}

/** What `createSending` makes: the core, and the send of the interface. */
export interface Sending extends SendingService {
  /** Accepts one request of the interface. */
  acceptEmail: EmailService['accept']
  /** Sends scheduled emails when their time has come. */
  readonly schedule: Schedule
}
