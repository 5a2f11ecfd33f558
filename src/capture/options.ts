import type { Clock } from '../core/clock.ts'
import type { SmtpCounts } from '../core/counts.ts'
import type { AuthRules } from './auth.ts'
import type { AccountSide } from './account-side.ts'
import type { SmtpTimeouts } from './progress.ts'
import type { SlotLimits } from './slots.ts'
import type { KeyAndCertificate } from './certificate.ts'

/** A refusal to a client. Its texts may have anything in them that a client sent. */
export interface ClientRefusal {
  /** The command or request that was refused, without credentials; `""` if it was none. */
  readonly command: string
  /** The reply to it, or what went wrong where there was none. */
  readonly reply: string
  /** The address of the client; `""` if it is not known. */
  readonly client: string
  /** The name of its account; absent where it is not known: the client of SMTP has not signed in. */
  readonly account?: string | undefined
  /** How long the request took, in milliseconds; absent for SMTP. */
  readonly durationMs?: number
}

/** Options of a capture server. */
export interface CaptureOptions extends AuthRules, AccountSide {
  host: string
  /** 0 takes a free port. */
  port: number
  /** The host name in the greeting and in the reply to EHLO. */
  hostname: string
  /** STARTTLS: false for none, true with `ownCertificate`, or with the given key and certificate in PEM. */
  tls: boolean | KeyAndCertificate
  /** The certificate where `tls` gives none. Default: a new one, if one is needed. */
  ownCertificate?: KeyAndCertificate | null
  /** A port on which TLS begins with the connection; 0 takes a free one, null opens none. Default: null. */
  securePort?: number | null
  /** Larger messages are refused with 552 5.3.4. Default: 40 MiB. */
  maxSizeBytes?: number
  /** Maximum number of connections without the outbox's; others replace idle ones or get 421. Default: no limit. */
  maxClients?: SlotLimits
  /** How long clients may take. Default: the times of RFC 5321 section 4.5.3.2. */
  patience?: Partial<SmtpTimeouts>
  /** Refuses addresses without angle brackets instead of accepting them with a warning. Default: false. */
  strict?: boolean
  /** Whether rules apply to submissions too; otherwise every recipient of a submission is accepted. */
  rejectSubmissions: boolean
  clock: Clock
  /** The URL of the HTTP listener, for clients that confuse the ports; null without one. Default: none. */
  httpUrl?(): string | null
  /** Whether its ports and connections keep the process alive. Default: true. */
  keepAlive?: boolean
  /** Called with errors of Localpost and of the listener, not with disconnects of clients. */
  onError?(error: unknown): void
  /** Called with a description of a client's fault and its fix, at most once a minute for each address and kind. */
  onClientFault?(message: string): void
  /** Called with each refusal to an app, and each handshake that failed. Default: not called. */
  onRefused?: ((refusal: ClientRefusal) => void) | undefined
  /** Counts sessions, messages and refusals of apps. Default: new ones. */
  counts?: SmtpCounts
  /** Monotonic time in milliseconds, for the limit of `onClientFault`. Default: the machine's. */
  now?: () => number
}
