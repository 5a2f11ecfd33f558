// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** The statuses of a recipient. */
export type EventStatus =
  | 'sent'
  | 'delivered'
  | 'opened'
  | 'clicked'
  | 'bounced'
  | 'delivery_delayed'
  | 'complained'
  | 'failed'

/** The type of a bounce, in Amazon SES's vocabulary and the spelling of its events. */
export type BounceType = 'Permanent' | 'Transient' | 'Undetermined'

/** The subtypes of bounces, in the same vocabulary. */
export type BounceSubtype =
  | 'General'
  | 'NoEmail'
  | 'Suppressed'
  | 'OnAccountSuppressionList'
  | 'MailboxFull'
  | 'MessageTooLarge'
  | 'ContentRejected'
  | 'AttachmentRejected'
  | 'Undetermined'

/** The cause of an event on this machine that a real server might not have sent. */
export type EventCause =
  | {
      kind: 'rule'
      /** As the rule has it. */
      match: string
      action: 'reject' | 'greylist' | 'drop'
    }
  | {
      /** The address is one of the simulator. */
      kind: 'simulator'
    }

/** One event of one recipient, as stored, with all facts. Answers of `/v1` show a part of it. */
export type EmailEvent =
  | {
      /** Unix time in milliseconds. */
      timestamp: number
      status: 'sent'
    }
  | {
      /** Unix time in milliseconds. */
      timestamp: number
      status: 'complained'
      /** Absent if no rule and no simulator caused it. */
      cause?: EventCause
    }
  | {
      /** Unix time in milliseconds. */
      timestamp: number
      status: 'delivered'
      processing_time_millis: number
      reporting_mta: string
      smtp_response: string
    }
  | {
      /** Unix time in milliseconds. */
      timestamp: number
      status: 'bounced'
      type: BounceType
      subtype: BounceSubtype
      /** The reply or the fault that caused it; absent when it was asked for. */
      smtp_response?: string
      reporting_mta?: string
      /** Absent if no rule and no simulator caused it. */
      cause?: EventCause
    }
  | {
      /** Unix time in milliseconds. */
      timestamp: number
      status: 'delivery_delayed'
      smtp_response?: string
      /** Absent if no rule and no simulator caused it. */
      cause?: EventCause
    }
  | {
      /** Unix time in milliseconds. */
      timestamp: number
      status: 'failed'
      reason: string
    }
  | {
      /** Unix time in milliseconds. */
      timestamp: number
      status: 'opened'
      ip: string
      user_agent: string
    }
  | {
      /** Unix time in milliseconds. */
      timestamp: number
      status: 'clicked'
      ip: string
      user_agent: string
      link: string
    }

/** One distinct envelope recipient and its events, in ascending time order. */
export interface RecipientState {
  recipient: string
  events: EmailEvent[]
}

/** `last_event`, docs/interface.md 2.3: the members depend on the status. */
export type LastEvent =
  | {
      recipient: string
      /** Unix time in milliseconds. */
      timestamp: number
      status: 'sent' | 'opened' | 'complained' | 'failed' | 'delivery_delayed'
    }
  | {
      recipient: string
      /** Unix time in milliseconds. */
      timestamp: number
      status: 'delivered'
      processing_time_millis: number
      reporting_mta: string
      smtp_response: string
    }
  | {
      recipient: string
      /** Unix time in milliseconds. */
      timestamp: number
      status: 'bounced'
      type: BounceType
      subtype: BounceSubtype
    }
  | {
      recipient: string
      /** Unix time in milliseconds. */
      timestamp: number
      status: 'clicked'
      link: string
      ip: string
      user_agent: string
    }

/** An entry of the list item's `recipient_statuses`, docs/interface.md 2.1. */
export type RecipientStatus =
  | {
      recipient: string
      /** Unix time in milliseconds. */
      timestamp: number
      status: 'sent' | 'delivered' | 'opened' | 'clicked' | 'delivery_delayed' | 'complained' | 'failed'
    }
  | {
      recipient: string
      /** Unix time in milliseconds. */
      timestamp: number
      status: 'bounced'
      type: BounceType
      subtype: BounceSubtype
    }

/** An entry of a recipient's `events` in the detail, docs/interface.md 2.2. */
export type RecipientEvent =
  | {
      /** Unix time in milliseconds. */
      timestamp: number
      status: 'sent' | 'delivered' | 'bounced' | 'delivery_delayed' | 'complained' | 'failed'
    }
  | {
      /** Unix time in milliseconds. */
      timestamp: number
      status: 'opened' | 'clicked'
      ip: string
      user_agent: string
    }

/** Broadcasts are made by `/dev/broadcasts`, everything else is transactional; docs/interface.md 2.1. */
export type EmailType = 'transactional' | 'broadcast'

/** The members of an email that are stored as they are shown. */
export interface EmailMembers {
  /** `broadcast` for a mail of a broadcast. */
  type: EmailType
  /** Its origin: sent through `/v1` or the library, or submitted over SMTP. */
  source: 'api' | 'smtp'
  /** Display name plus address, white space folded; `""` if a submission names no sender. */
  from: string
  /** Bare addresses of the To header, in its order. */
  to: string[]
  /** Bare addresses of the Cc header, in its order. */
  cc: string[]
  /** Recipients of the envelope that no To or Cc field names; for API sends, those of the request. */
  bcc: string[]
  /** The Reply-To header; null without one. */
  reply_to: string | null
  subject: string
  template_id: string | null
  /** The id of the domain of the sender. */
  domain_id: string
  /** The addresses of MAIL FROM and RCPT TO, which the header need not name. */
  envelope: {
    mail_from: string
    rcpt_to: string[]
  }
  /** Per recipient, with the SMTP replies. */
  recipients: RecipientState[]
  unread: boolean
  tags: string[]
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
  /**
   * The id of the trace that the mail or its request belongs to, by `traceparent`: 32 hexadecimal
   * digits; absent without one.
   */
  trace_id?: string
}

/** An email in a list, docs/interface.md 2.1. */
export interface EmailListItem {
  id: string
  /** `broadcast` for a mail of a broadcast. */
  type: EmailType
  /** Bare addresses of the To header; those of the envelope if it has none. */
  to: string[]
  subject: string
  last_event: LastEvent
  /** Unix time in milliseconds. */
  email_sent_timestamp: number
  recipient_statuses: RecipientStatus[]
}

/** An email in detail, docs/interface.md 2.2. */
export interface EmailDetail {
  id: string
  /** `broadcast` for a mail of a broadcast. */
  type: EmailType
  /** Bare addresses of the To header; those of the envelope if it has none. */
  to: string[]
  subject: string
  last_event: LastEvent
  /** Unix time in milliseconds. */
  email_sent_timestamp: number
  template_id: string | null
  /** The id of the domain of the sender. */
  domain_id: string
  html: string
  text: string
  /** Display name plus address, white space folded; `""` if a submission names no sender. */
  from: string
  recipient_statuses: {
    recipient: string
    events: RecipientEvent[]
  }[]
}

/** The body of `POST /dev/emails/{id}/events`. Members that the status does not have are ignored. */
export interface AddedEvent {
  /** One of the email’s recipients, in any case. */
  recipient: string
  status: 'delivered' | 'opened' | 'clicked' | 'bounced' | 'delivery_delayed' | 'complained' | 'failed'
  /** Unix time in milliseconds. Default: now. */
  timestamp?: number
  /** Of an opening or click. Default: 127.0.0.1. */
  ip?: string
  /** Of an opening or click. Default: Localpost. */
  user_agent?: string
  /** Of a click, and required there. */
  link?: string
  /** Of a bounce. Default: that of the subtype, or Permanent. */
  type?: BounceType
  /** Of a bounce. Default: General, of Undetermined the same. */
  subtype?: BounceSubtype
}
