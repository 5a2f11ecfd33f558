import type { Clock } from '../core/clock.ts'
import type { Verdict } from '../rules/verdicts.ts'
import type { AuthRules } from './auth.ts'
import type { FaultAt } from './faults.ts'
import type { Submissions } from './port.ts'
import type { Patience } from './progress.ts'
import type { SlotLimits } from './slots.ts'
import type { KeyAndCertificate } from './tls.ts'

/** What a capture server needs. */
export interface CaptureOptions extends AuthRules {
  host: string
  /** 0 takes a free one. */
  port: number
  /** The name by which it introduces itself. */
  hostname: string
  /** STARTTLS: off, with a certificate made now, or with an own one in PEM. */
  tls: boolean | KeyAndCertificate
  /** Larger messages are refused with 552 5.3.4. Default: 40 MiB. */
  maxSizeBytes?: number
  /** Connections at once, the outbox's own beside; one more gets 421, unless an idle one can give way. Default: no limit. */
  maxClients?: Partial<SlotLimits>
  /** How long clients may take. Default: as long as RFC 5321 section 4.5.3.2 says. */
  patience?: Partial<Patience>
  /** Takes what apps hand in. */
  submissions: Submissions
  /**
   * What the server says to one recipient of a delivery.
   *
   * @param deliveryId  The id of the email, from ENVID; null without one.
   */
  verdictOf(recipient: string, deliveryId: string | null): Verdict
  /** Whether rules apply to submissions too; otherwise every recipient of a submission is accepted. */
  rejectSubmissions: boolean
  /** What goes wrong with submissions. */
  faultAt: FaultAt
  clock: Clock
  /** Whether its ports and connections keep the process alive. Default: true. */
  keepAlive?: boolean
  /** Called with errors of Localpost and of the listener, not with disconnects of clients. */
  onError?(error: unknown): void
  /** Called with what a client does wrong and what to do about it, once a minute for each address and kind. */
  onClientFault?(message: string): void
}
