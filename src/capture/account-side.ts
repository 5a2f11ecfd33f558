import type { SubmissionReception } from '../emails/receive.ts'
import type { Verdict } from '../rules/rule.ts'
import type { FaultAt } from './faults.ts'
import type { SessionLog } from './session-log.ts'
import type { TransactionNotes } from './session-notes.ts'

/** The RFC 5321 envelope of one transaction: bare addresses, `""` for the null sender. */
export interface Envelope {
  mail_from: string
  rcpt_to: string[]
}

/** The account that a session reaches: its mail, rules and faults. */
export interface AccountSide {
  /** The name of the account; absent where it is not known. */
  readonly accountName?: string | undefined
  /** Starts receiving a submitted message, when its DATA begins. @param notes  Its transcript, which may still grow. */
  receive(envelope: Envelope, notes: TransactionNotes | null): SubmissionReception
  /**
   * Decides the reply for one recipient. Attempts with the same `transaction` are counted together. It is the id of the
   * email (ENVID) for a delivery, null without one; for a submission, the text `from <sender>`.
   */
  verdictOf(recipient: string, transaction: string | null): Verdict | Promise<Verdict>
  /** The faults to apply to submissions. */
  faultAt: FaultAt
  /** Receives the sessions of apps. Default: they are not kept. */
  sessions?: Pick<SessionLog, 'begin' | 'end' | 'leave'>
}
