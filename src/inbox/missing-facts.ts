import type { EmailRecord } from '../emails/email.ts'
import type { FaultsState } from '../faults/types.ts'
import type { Rule } from '../rules/types.ts'
import type { Suppression } from '../sending/types.ts'
import type { SmtpSessionSummary } from './smtp-session-types.ts'

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
