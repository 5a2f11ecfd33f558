// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** Why a mail may be missing. */
export type MissingCauseCode =
  | 'arrived'
  | 'suppressed'
  | 'rule'
  | 'simulator'
  | 'bounced'
  | 'failed'
  | 'pending'
  | 'scheduled'
  | 'smtp_session'
  | 'request'
  | 'wrong_port'
  | 'similar_recipient'
  | 'other_account'
  | 'no_attempt'
  | 'fault'
  | 'other_recipient'
  | 'retention'

/** What shows a cause. */
export interface MissingEvidence {
  /** What it is; `id` is of this kind. */
  kind:
    | 'email'
    | 'scheduled'
    | 'smtp_session'
    | 'request'
    | 'suppression'
    | 'rule'
    | 'fault'
    | 'account'
    | 'option'
  /** The id of the mail, session or request; null for what has no id. */
  id: string | null
  /** Unix time in milliseconds; null for what has no time. */
  time: number | null
  /** The evidence in one line: a reply, a subject, a pattern of a rule. */
  text: string
}

/** One cause that a missing mail may have. */
export interface MissingCause {
  cause: MissingCauseCode
  /**
   * More exactly: the `kind` of the problem of an SMTP session, the name of the error of a request, the
   * action of a rule; null if there is no more to say.
   */
  reason: string | null
  /** What happened, in one sentence. */
  message: string
  /** What to do, in sentences. */
  remedy: string
  /** How many times it was seen. */
  count: number
  /** The newest five, the newest first. */
  evidence: MissingEvidence[]
}

/** Why there is no mail, as `GET /dev/missing` answers it. */
export interface MissingMail {
  /** The recipient that was asked about; null for any. */
  to: string | null
  /** From when on requests, sessions and mails were looked at: Unix time in milliseconds. */
  since: number
  /** The likeliest first; never empty. */
  causes: MissingCause[]
}
