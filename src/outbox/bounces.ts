import type { BounceSubtype, BounceType } from '../emails/types.ts'

/** The meaning of a reply of a recipient's server: the parts of an SMTP reply line. */
export interface SmtpReply {
  /** RFC 5321 reply code; 0 if the connection was lost before a reply. */
  reply_code: number
  /** RFC 3463 status code; null if the reply has none. */
  enhanced_code: string | null
  /** The whole reply, or the reason why the connection broke. */
  text: string
}

/** Reads the reply of a server, as nodemailer reports it. The first line of several decides. */
export function parseReply(text: string): SmtpReply {
  const match = /^(\d{3})[ -](?:(\d\.\d{1,3}\.\d{1,3})(?:\s|$))?/.exec(text)
  return { reply_code: Number(match?.[1] ?? 0), enhanced_code: match?.[2] ?? null, text }
}

/** Whether the delivery may be tried again: a 4xx reply or a lost connection. */
export function isTemporary(reply: SmtpReply): boolean {
  return reply.reply_code < 500
}

/**
 * The bounce type and subtype of a reply, in SES's vocabulary.
 *
 * @param suppressed  Whether the recipient is on the suppression list, which has no reply code.
 * @see RFC 3463 for the codes; Amazon SES "Bounce object" for the words.
 */
export function bounceOf(reply: SmtpReply, suppressed = false): { type: BounceType; subtype: BounceSubtype } {
  if (suppressed) return { type: 'Permanent', subtype: 'OnAccountSuppressionList' }
  const code = reply.enhanced_code ?? ''
  for (const [pattern, type, subtype] of bounceTable) if (pattern.test(code)) return { type, subtype }
  return reply.reply_code >= 500
    ? { type: 'Permanent', subtype: 'General' }
    : { type: 'Transient', subtype: 'General' }
}

// The first matching row decides.
const bounceTable: readonly (readonly [RegExp, BounceType, BounceSubtype])[] = [
  [/^\d\.1\.1$/, 'Permanent', 'General'],
  [/^[45]\.2\.2$/, 'Transient', 'MailboxFull'],
  [/^\d\.3\.4$/, 'Transient', 'MessageTooLarge'],
  [/^\d\.7\.\d+$/, 'Transient', 'ContentRejected'],
]
