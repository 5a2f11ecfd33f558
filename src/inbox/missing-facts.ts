import { shorten } from '../core/quote.ts'
import type { EmailRecord } from '../emails/email.ts'
import type { FaultsState } from '../faults/types.ts'
import type { Rule } from '../rules/types.ts'
import type { Suppression } from '../sending/types.ts'
import type { SmtpSessionSummary } from './smtp-session-types.ts'
import type { MissingCause, MissingEvidence } from './missing-types.ts'

/** A request of an app, as the request log has it. */
export interface AttemptedRequest {
  readonly id: string
  readonly timestamp: number
  readonly method: string
  /** Empty for a client that did not speak HTTP. */
  readonly path: string
  readonly status: number
  readonly warnings: readonly string[]
  readonly request_body: string | null
  readonly response_body: string | null
}

/** A mail in another account. */
export interface ForeignMail {
  readonly account: string
  readonly id: string
  readonly time: number
}

/** The facts that explain why an expected mail is missing. */
export interface MissingFacts {
  /** null: any recipient. */
  readonly to: string | null
  readonly since: number
  /** Whether an address is the one that is asked for; for null every address is. */
  isWanted(address: string): boolean
  /** The mails since then for this recipient, newest first. */
  readonly mails: readonly EmailRecord[]
  /** The newest mails since then for others. */
  readonly others: readonly EmailRecord[]
  readonly scheduled: readonly {
    readonly id: string
    readonly send_at: number
    readonly recipients: readonly string[]
  }[]
  readonly sessions: readonly SmtpSessionSummary[]
  readonly requests: readonly AttemptedRequest[]
  readonly suppression: Suppression | null
  readonly rule: Rule | null
  /** Whether rules refuse recipients while an app submits a mail, so that it is not stored. */
  readonly rejectSubmissions: boolean
  readonly faults: FaultsState | null
  readonly foreign: readonly ForeignMail[]
  readonly kept: {
    readonly emails: number
    readonly maxEmails: number | null
    readonly maxAgeMs: number | null
  }
  readonly now: number
}

/** A cause with its weight of {@link causeWeights}. */
export interface Weighed extends MissingCause {
  readonly weight: number
}

/** One piece of evidence. Without `id` or `time` it has none; the text may be of any length. */
export type Evidence = Partial<Pick<MissingEvidence, 'id' | 'time'>> & Pick<MissingEvidence, 'text'>

type CauseFacts = Pick<Weighed, 'weight' | 'cause' | 'message' | 'remedy'> & {
  /** Default: null. */
  reason?: MissingCause['reason']
  kind: MissingEvidence['kind']
  evidence: readonly Evidence[]
}

/** Makes a cause of its evidence, all of one kind: its newest pieces are shown. */
export function weigh({ kind, evidence, reason = null, ...cause }: CauseFacts): Weighed {
  const all = evidence.map(({ id = null, time = null, text }) => ({ kind, id, time, text }))
  const newest = all.sort((one, other) => (other.time ?? 0) - (one.time ?? 0)).slice(0, maxEvidence)
  const shown = newest.map((one) => ({ ...one, text: shorten(one.text, maxTextLength) }))
  return { ...cause, reason, count: evidence.length, evidence: shown }
}

/** The likeliest cause first. Of two with the same weight, the one with the newer evidence comes first. */
export const causeWeights = {
  // The state of a mail that is there.
  suppressed: 96,
  rule: 95,
  simulator: 94,
  bounced: 93,
  failed: 92,
  pending: 90,
  arrived: 89,
  scheduled: 88,
  /** A session or a request that names the recipient. */
  namingAttempt: 80,
  other_account: 75,
  similar_recipient: 70,
  /** A session or a request that failed, for any recipient. */
  otherAttempt: 60,
  /** A rule for the address, while rules refuse submissions, so that refused mail is not stored. */
  rejectingRule: 58,
  no_attempt: 56,
  // What is set to stop mail, whether or not it has stopped one.
  standingRule: 51,
  standingSuppression: 50,
  fault: 49,
  other_recipient: 40,
  retention: 35,
  harmlessSession: 30,
} as const

const maxEvidence = 5
const maxTextLength = 300

/** A time in ISO 8601, within the limits of `Date`. */
export function timeText(ms: number): string {
  return new Date(Math.min(8.64e15, Math.max(-8.64e15, ms))).toISOString()
}
