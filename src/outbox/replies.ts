import type { BounceSubtype, BounceType } from '../emails/types.ts'
import { tlsReason } from '../net/tls-words.ts'

/** The meaning of a reply of a recipient's server: the parts of an SMTP reply line. */
export interface SmtpReply {
  /** RFC 5321 reply code; 0 if the connection was lost before a reply. */
  reply_code: number
  /** RFC 3463 status code; null if the reply has none. */
  enhanced_code: string | null
  /** The whole reply, or the reason why the connection broke. */
  text: string
}

/** An error of nodemailer, with the reply of the server if there was one. */
export interface SmtpFailure extends Error {
  response?: string
  code?: string
  recipient?: string
  rejectedErrors?: readonly SmtpFailure[]
}

/** Reads the reply of a server, as nodemailer reports it. The first line of several decides. */
export function parseReply(text: string): SmtpReply {
  const match = /^(\d{3})[ -](?:(\d\.\d{1,3}\.\d{1,3})(?:\s|$))?/.exec(text)
  return { reply_code: Number(match?.[1] ?? 0), enhanced_code: match?.[2] ?? null, text }
}

/** The reply in an error, or the reason why there was none, in words for people. */
export function replyOf(failure: SmtpFailure): SmtpReply {
  if (failure.code === 'ETLS') return noReply(noTls)
  if (failure.response) return parseReply(failure.response)
  const tls = tlsReason(failure.message)
  if (tls !== null) return noReply(`No TLS with the relay: ${tls}. ${tlsHint}`)
  // The pool has several texts for this error, some of them about the pool itself.
  return noReply(failure.code === 'ECONNECTION' ? 'Connection closed unexpectedly' : failure.message)
}

function noReply(text: string): SmtpReply {
  return { reply_code: 0, enhanced_code: null, text }
}

const noTls =
  'The relay offers no TLS, and the user and password are not sent without TLS. Use smtps://, or allow sending them with `relayInsecureAuth` (--relay-insecure-auth)'
const tlsHint =
  'smtps:// is for a port that begins with TLS, mostly 465; smtp:// is for a port with STARTTLS or without TLS'

/** Whether a delivery without success may be tried again: all but a 5xx reply, also a lost connection. */
export function mayBeRetried(reply: SmtpReply): boolean {
  return reply.reply_code < 500
}

/** Why a recipient got no mail, in SES's vocabulary. */
export interface BounceKind {
  readonly type: BounceType
  readonly subtype: BounceSubtype
}

/** Of a recipient that is on the suppression list, whatever a server replied. */
export const suppressionBounce: BounceKind = { type: 'Permanent', subtype: 'OnAccountSuppressionList' }

/**
 * The kind of bounce that a reply means.
 *
 * @see RFC 3463 for the codes; Amazon SES "Bounce object" for the words.
 */
export function bounceOf(reply: SmtpReply): BounceKind {
  const code = reply.enhanced_code ?? ''
  for (const [pattern, kind] of bounceTable) if (pattern.test(code)) return kind
  return { type: reply.reply_code >= 500 ? 'Permanent' : 'Transient', subtype: 'General' }
}

/**
 * What the status codes say beyond the reply code; the first matching row decides. An address that does not exist will not
 * exist later, even where the server replied 4xx. The others are transient in SES even with a 5xx reply: the address is
 * right, and another mail may be accepted.
 */
const bounceTable: readonly (readonly [code: RegExp, kind: BounceKind])[] = [
  [/^\d\.1\.1$/, { type: 'Permanent', subtype: 'General' }],
  [/^\d\.2\.2$/, { type: 'Transient', subtype: 'MailboxFull' }],
  [/^\d\.3\.4$/, { type: 'Transient', subtype: 'MessageTooLarge' }],
  [/^\d\.7\.\d+$/, { type: 'Transient', subtype: 'ContentRejected' }],
]
