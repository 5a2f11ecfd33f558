// Written by `npm run types` from the schemas of this folder. Change those, not this file.

import type { EmailType, EventStatus, LastEvent, RecipientState } from '../emails/types.ts'

import type { DkimResult } from '../mime/types.ts'

import type { Link } from '../reading/types.ts'

/** A mail in a list of the inbox. */
export interface MailSummary {
  /** Begins with `em_`; ids sort by arrival. */
  id: string
  /** Display name plus address, white space folded; `""` if a submission names no sender. */
  from: string
  /** Bare addresses of the To header, `[]` without one; the envelope is in the detail. */
  to: string[]
  /**
   * Display names of the first three addresses of `to`, `""` where one has none; `[]` if none of them
   * has one.
   */
  to_names: string[]
  /** Decoded, as mail programs show it; `""` if there is none. */
  subject: string
  /** The beginning of the text, white space folded; `""` if there is none. */
  snippet: string
  /** Arrival: Unix time in milliseconds. */
  received: number
  /** Of the message; 0 while it is not written. */
  size_bytes: number
  /** Whether it has not been marked as read yet. */
  unread: boolean
  /** From the field `X-Tags` and what follows a plus in recipients, until they are changed. */
  tags: string[]
  /** How many files are attached, those shown within the HTML included. */
  attachment_count: number
  /** Its origin: sent through `/v1` or the library, or submitted over SMTP. */
  source: 'api' | 'smtp'
  /**
   * A short key: of the first message in References, else of the one in In-Reply-To, else of its own
   * Message-ID; absent without one, and while the message is not written. Equal for mails whose header
   * fields name the same first message. An answer to an answer that has only In-Reply-To has another
   * one. Senders choose it: it proves nothing.
   */
  thread?: string
  /** Whether References or In-Reply-To name a message other than itself. */
  is_answer: boolean
  /**
   * The id of the trace that the mail or its request belongs to, by `traceparent`: 32 hexadecimal
   * digits; absent without one.
   */
  trace_id?: string
  /** The newest event of all recipients: a bounce of one may hide behind a later delivery to another. */
  last_event: LastEvent
  /**
   * How many recipients there are by their outcome: the last status, but an opening hides neither a
   * complaint nor a bounce nor a click.
   */
  outcomes: Partial<Record<EventStatus, number>>
}

/** The broadcast whose mails are one item of a list. */
export interface ListedBroadcast {
  id: string
  /** With its placeholders; that of its first mail where the broadcast is no longer listed. */
  subject: string
  /** How many of its mails are stored. */
  emails: number
  /** How many of them are unread. */
  unread: number
  /** How many of them there are by their outcome, as the outcomes of recipients. */
  outcomes: Partial<Record<EventStatus, number>>
}

/** A mail in a list of the inbox, or all mails of a broadcast. */
export interface ListedMail extends MailSummary {
  /** With `fold`: the broadcast that this mail represents; absent for a single mail. */
  broadcast?: ListedBroadcast
}

/** An attachment of a mail, as it is listed. */
export interface MailAttachment {
  index: number
  /** As declared, else one of its type, such as `attachment-1.png`. */
  filename: string
  content_type: string
  size_bytes: number
  sha256: string
  /** Without angle brackets; null if there is none. */
  content_id: string | null
  disposition: 'attachment' | 'inline'
}

/** A message that is attached to a mail. */
export interface NestedMail {
  /** As those of a mail. */
  headers: [string, string][]
  subject: string
  html: string
  text: string
  attachments: MailAttachment[]
  size_bytes: number
  problem: string | null
}

/** A node of the MIME tree of a message. */
export interface MimeTreePart {
  /** How many multiparts it is in. */
  depth: number
  content_type: string
  /** Position among the parts, for their bytes; null for a multipart. */
  index: number | null
  /** Of the body as it is in the message, encoded. */
  size_bytes: number
  charset: string | null
  /** The transfer encoding; null for a multipart. */
  encoding: string | null
  filename: string | null
  content_id: string | null
  disposition: 'attachment' | 'inline' | null
  /** What the inbox takes it for; null for a multipart. */
  role: 'text' | 'html' | 'attachment' | null
}

/** The MIME tree of a message as a list, each multipart before what is in it. */
export interface MimeTree {
  parts: MimeTreePart[]
  /** Why this is not all, or not as the message says; null if it is. */
  problem: string | null
}

/** How a reader can unsubscribe from a list. */
export interface ListUnsubscribe {
  /** http(s) and mailto addresses, in the order of the field; at most the first 20. */
  urls: string[]
  /** Whether a mail client may do it with one POST, without asking (RFC 8058). */
  one_click: boolean
}

/** One line of an SMTP session. */
export interface TranscriptLine {
  from: 'client' | 'server'
  text: string
}

/** All that Localpost knows of one mail, for people and tests. */
export interface Mail extends MailSummary {
  /** `broadcast` for a mail of a broadcast. */
  type: EmailType
  /** Bare addresses of the Cc header, in its order. */
  cc: string[]
  /** Recipients of the envelope that no To or Cc field names; for API sends, those of the request. */
  bcc: string[]
  /** The Reply-To header; null without one. */
  reply_to: string | null
  /** The id of the domain of the sender. */
  domain_id: string
  /** The addresses of MAIL FROM and RCPT TO, which the header need not name. */
  envelope: {
    mail_from: string
    rcpt_to: string[]
  }
  /** Per recipient, with the SMTP replies. */
  recipients: RecipientState[]
  /** Names and values of the request that are not in the message; absent without any. */
  metadata?: Record<string, string>
  /** What the request says about tracking, in place of the domain; absent without it. */
  tracking?: {
    opens?: boolean
    clicks?: boolean
  }
  /**
   * The interface of a provider that the email came by, and the id that its answer gave; absent for
   * other emails.
   */
  provider?: {
    name: string
    message_id: string
  }
  /** The message’s header fields in their order, each with its name and its decoded value. */
  headers: [string, string][]
  /**
   * The HTML body, decoded, of all its parts and with the plain texts that mail programs show after
   * them; `""` if there is none.
   */
  html: string
  /** The plain-text body, decoded, of all its parts; `""` if there is none. */
  text: string
  /** Those of the HTML in its order, then those that only the text has: http, https and mailto. */
  links: Link[]
  /** One-time codes that the mail seems to carry, in order of appearance. */
  codes: string[]
  /** Without their bytes, which `inbox.attachment()` reads. */
  attachments: MailAttachment[]
  /**
   * The message’s DKIM signature, verified with the keys of the account’s own domains: of its first
   * five, one that passes, else the first; null where it has none.
   */
  dkim: DkimResult | null
  /** How a reader gets off the list; null if the message does not say. */
  list_unsubscribe: ListUnsubscribe | null
  /**
   * The SMTP session in which an app handed the message in, credentials masked; null for API sends and
   * all but the last 1,000 submissions since the start.
   */
  transcript: TranscriptLine[] | null
  /**
   * What is not shown as the message has it: parts, header fields and addresses beyond a limit, a body
   * of which the beginning is shown, multiparts that cannot be taken apart, unknown encodings, and
   * bodies that are not searched for links and codes to their end; null where nothing of this applies.
   */
  problem: string | null
}

/** The members of a mail that may be changed. */
export interface MailChanges {
  unread?: boolean
  /** All of them: they replace those there are. */
  tags?: string[]
}

/** The change to make to each of several mails. */
export interface BulkChanges extends MailChanges {
  add_tags?: string[]
  remove_tags?: string[]
}

/** The colours that a tag may have. */
export type TagColor = 'gray' | 'red' | 'amber' | 'green' | 'teal' | 'blue' | 'violet' | 'pink'

/** A tag, and how many mails have it. */
export interface TagCount {
  /** In lower case. */
  tag: string
  /** 0 for a tag that no mail has and for which a colour was chosen. */
  count: number
  /** The chosen colour; absent if it is derived from the name. */
  color?: TagColor
}

/** The members of a tag that may be changed. */
export interface TagChanges {
  /** null: the colour that is derived from the name. */
  color: TagColor | null
}

/** A change of many mails, and its progress. */
export interface BulkProgress {
  id: string
  change: 'update' | 'delete'
  /** One change runs at a time; the others wait. */
  state: 'waiting' | 'running' | 'done' | 'cancelled' | 'failed'
  /** How many of the selected mails are done. */
  done: number
  /** How many mails are selected; null until they are found. */
  total: number | null
}

/** The removal of mails that can be undone. */
export interface Removal {
  id: string
  /** Until when it can be undone: Unix time in milliseconds. */
  until: number
}
