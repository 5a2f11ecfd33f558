// Written by `npm run types` from the schemas of this folder. Change those, not this file.

import type { TranscriptLine } from './types.ts'

/** Why mail of an SMTP session was not captured. */
export type SmtpProblemKind =
  | 'http'
  | 'implicit_tls'
  | 'plain_text'
  | 'certificate'
  | 'handshake'
  | 'no_handshake'
  | 'too_many_connections'
  | 'too_slow'
  | 'too_many_commands'
  | 'closing'
  | 'fault'
  | 'rule'
  | 'auth_required'
  | 'auth_failed'
  | 'auth_unsupported'
  | 'starttls_refused'
  | 'sender_refused'
  | 'recipient_refused'
  | 'too_large'
  | 'message_refused'
  | 'command_refused'
  | 'no_message'
  | 'disconnected'
  | 'silent'

/** A problem of an SMTP session, and what to do. */
export interface SmtpProblem {
  kind: SmtpProblemKind
  /** What went wrong, in one sentence. */
  message: string
  /** What to do, in sentences. */
  advice: string
  /** The command that was refused, without credentials. */
  command: string | null
  /** The reply to it. */
  reply: string | null
}

/** An SMTP session in the list of `/dev/smtp-sessions`. */
export interface SmtpSessionSummary {
  id: string
  /** Unix time in milliseconds. */
  started: number
  /** Unix time in milliseconds; null while the session is open. */
  ended: number | null
  /** Address and port of the client. */
  remote_address: string
  /** The name that the client gave with EHLO or HELO; `""` without one. */
  client_name: string
  /** The user name of a successful AUTH. */
  user: string | null
  /** Whether TLS is on. */
  secure: boolean
  /** How many messages were captured. */
  message_count: number
  /** The address of the last MAIL FROM that is kept; `""` for a bounce; null before the first. */
  mail_from: string | null
  /** The addresses of the RCPT TO after it, accepted or not, as far as they are kept. */
  rcpt_to: string[]
  /** Of the captured messages whose transcript is kept. */
  email_ids: string[]
  /** One for each kind, the first one first; `[]` if nothing went wrong. */
  problems: SmtpProblem[]
}

/** An SMTP session with its transcript. */
export interface SmtpSession extends SmtpSessionSummary {
  /** Without credentials; the end of long transactions and the last ten transactions are kept. */
  transcript: TranscriptLine[]
}
