// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** The body of `POST /dev/broadcasts`: a mail that is personalised for each subscribed contact. */
export interface BroadcastRequest {
  audience_id: string
  /** Sender as display name plus address; its domain determines the signature. */
  from: string
  subject: string
  /** `{{first_name}}`, `{{last_name}}` and `{{email}}` are filled in, as in `subject` and `text`. */
  html?: string
  text?: string
}

/** A contact that a broadcast leaves out, and why. */
export interface LeftOutContact {
  id: string
  email: string
  reason: 'unsubscribed' | 'invalid_address'
  /** The reason in words. */
  message: string
}

/** The contacts of an audience that a broadcast leaves out. */
export interface LeftOut {
  /** How many contacts are not subscribed. */
  unsubscribed: number
  /** How many contacts have an address that cannot be sent to. */
  invalid_address: number
  /** The first 100 of them; invalid addresses come first. */
  contacts: LeftOutContact[]
}

/** The answer to a broadcast: one email per subscribed contact. */
export interface Broadcast {
  /** Each of its emails has it as a tag. */
  id: string
  email_ids: string[]
  /** How many emails: the length of `email_ids`. */
  count: number
  /** The contacts that get no email. */
  left_out: LeftOut
  /** What was accepted but looks wrong: placeholders that stay as written, an unregistered domain. */
  warnings: string[]
}

/** A broadcast that was sent. */
export interface BroadcastSummary {
  /** Each of its emails has it as a tag. */
  id: string
  audience_id: string
  from: string
  /** With its placeholders. */
  subject: string
  /** Unix time in milliseconds. */
  created: number
  /** How many emails were accepted; 0 until all of them are. */
  count: number
}

/** How many emails of a broadcast had an event of each status at least once. One email may count in several. */
export interface BroadcastTotals {
  /** Those that are still stored and have its id as a tag. */
  emails: number
  delivered: number
  opened: number
  clicked: number
  bounced: number
  delivery_delayed: number
  complained: number
  failed: number
  /** Contacts that unsubscribed with the link in one of its emails, also if that email was removed. */
  unsubscribed: number
}

/** Counts of the emails of a broadcast in one interval. Each email counts in the interval of its first such event. */
export interface BroadcastMoment {
  /** When the interval begins: Unix time in milliseconds. */
  at: number
  delivered: number
  opened: number
  clicked: number
  bounced: number
}

/** A broadcast with its results. */
export interface BroadcastDetail extends BroadcastSummary {
  /** How many emails had an event of each status at least once; one email may count in several. */
  totals: BroadcastTotals
  /** From `created` to the last event, in at most 48 intervals. */
  timeline: {
    /** The length of each interval: at least one second. */
    span_ms: number
    moments: BroadcastMoment[]
  }
}

/** The broadcasts to list. */
export interface BroadcastListQuery {
  /** Only those to this audience. */
  audience_id?: string
  /** From the previous page. Default: the first page. */
  cursor?: string | null
  /** Items per page, 1 to 500. Default: 50. */
  limit?: number
}
