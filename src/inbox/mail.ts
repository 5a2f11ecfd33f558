import type { Link } from '../reading/links.ts'
import type { EmailEvent, EventStatus, LastEvent } from '../emails/email.ts'
import type { DkimResult } from '../mime/dkim-verify.ts'
import type { ListUnsubscribe } from './list-unsubscribe.ts'

/** A mail in a list of the inbox. */
export interface MailSummary {
  id: string
  from: string
  /** Bare addresses of the To header, `[]` without one; the envelope is in the detail. */
  to: string[]
  subject: string
  /** The beginning of the text, white space folded; `""` where there is none. */
  snippet: string
  /** Arrival: Unix time in milliseconds. */
  received: number
  /** Size of the message; 0 while it is not written. */
  size_bytes: number
  unread: boolean
  tags: string[]
  attachment_count: number
  source: 'api' | 'smtp'
  /** The newest event of all recipients: a bounce of one may hide behind a later delivery to another. */
  last_event: LastEvent
  /**
   * How many recipients there are by what became of them: `{ delivered: 2, bounced: 1 }`. That is the last status, but
   * an opening hides neither a complaint nor a bounce nor a click.
   */
  outcomes: Partial<Record<EventStatus, number>>
}

/** All that Localpost knows of one mail, for people and tests. */
export interface Mail extends MailSummary {
  type: 'transactional' | 'broadcast'
  domain_id: string
  cc: string[]
  /** Recipients of the envelope that no To or Cc field names; for API sends, those of the request. */
  bcc: string[]
  reply_to: string | null
  /** The message's header fields, decoded, in their order. */
  headers: [name: string, value: string][]
  html: string
  text: string
  links: Link[]
  /** One-time codes that the mail seems to carry, in order of appearance. */
  codes: string[]
  attachments: MailAttachment[]
  envelope: { mail_from: string; rcpt_to: string[] }
  /** Per recipient, with the SMTP replies. */
  recipients: { recipient: string; events: EmailEvent[] }[]
  /** The message's DKIM signature, verified with the keys of the account's domains; null where it has none. */
  dkim: DkimResult | null
  /** How a reader gets off the list; null where the message does not say. */
  list_unsubscribe: ListUnsubscribe | null
  /**
   * The SMTP session in which an app handed the message in, credentials masked; null for API sends, and where it is
   * not remembered any more: that of the last 1,000 submissions since the start is.
   */
  transcript: TranscriptLine[] | null
  /** Why the message could not be read in full, or searched in full for links and codes; null where it could. */
  problem: string | null
}

/** One line of an SMTP session. */
export interface TranscriptLine {
  from: 'client' | 'server'
  text: string
}

export interface MailAttachment {
  index: number
  filename: string
  content_type: string
  size_bytes: number
  sha256: string
  /** Without angle brackets; null where there is none. */
  content_id: string | null
  disposition: 'attachment' | 'inline'
}

export interface WaitOptions {
  /** In milliseconds. Default: `waitTimeoutMs` of the instance. */
  timeoutMs?: number
  /** Only mail that arrived after this one: an id of a mail, also of one that is gone; or not before a time. */
  after?: Date | string
}

export interface QuietOptions {
  /** How long nothing may arrive, in milliseconds. Default: 1,000. */
  timeoutMs?: number
  /** As in {@link WaitOptions}. Default: also what is there already counts. */
  after?: Date | string
}
