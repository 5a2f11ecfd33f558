import type { Verdict } from '../rules/verdicts.ts'
import type { FaultAt } from './faults.ts'
import type { SessionLog } from './session-log.ts'
import type { TransactionNotes } from './transcript.ts'

/** The facts of an SMTP session when a transaction begins. */
export interface SessionFacts {
  /** Address and port of the client. */
  remote_address: string
  /** The name the client gave with EHLO or HELO; `""` without one. */
  client_name: string
  /** The user name of a successful AUTH; null without one. */
  user: string | null
  /** Whether TLS is on. */
  secure: boolean
  /** The transcript; later lines of the transaction are added to it. Null if none is recorded. */
  notes: TransactionNotes | null
}

/** The RFC 5321 envelope of one transaction: bare addresses, `""` for the null sender. */
export interface Envelope {
  mail_from: string
  rcpt_to: string[]
}

/** The account that a session reaches: its mail, rules and faults. */
export interface AccountSide {
  /** Receives the messages that apps submit. */
  submissions: Submissions
  /**
   * Decides the reply for one recipient.
   *
   * @param transaction  Tries with the same value are counted together. For a delivery it is the id of the email from
   *   ENVID, or null without one; for a submission, `from` and its sender.
   * @returns A promise where instances share a store.
   */
  verdictOf(recipient: string, transaction: string | null): Verdict | Promise<Verdict>
  /** The faults to apply to submissions. */
  faultAt: FaultAt
  /** Receives the sessions of apps. Default: they are not kept. */
  sessions?: Pick<SessionLog, 'begin' | 'end' | 'leave'>
}

/** Receives submissions. Capture calls it; the emails folder implements it. */
export interface Submissions {
  /** Starts receiving one message; called when its DATA begins. */
  begin(envelope: Envelope, session: SessionFacts): Reception
}

/** Receives the bytes of one submitted message, after dot-unstuffing. */
export interface Reception {
  /** Receives a piece. If it returns a promise, wait for it before the next piece. */
  write(piece: Uint8Array): Promise<void> | undefined
  /**
   * Stores the message as an email. The email is durable when this resolves.
   *
   * @returns The text of the 250 reply, without codes: `OK: captured as em_…`.
   * @throws A LocalpostError when the email was not stored; for the SMTP replies see `refusalOf`.
   */
  finish(): Promise<string>
  /** Discards the message, because the client disconnected or the message is too large. */
  discard(): Promise<void>
}
