import type { BounceSubtype, BounceType } from '../emails/types.ts'
import type { SmtpReply } from './replies.ts'

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
