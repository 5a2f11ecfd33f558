// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** The body of `POST /resend/domains`. */
export interface ResendNewDomain {
  name: string
  /** Localpost has one region. */
  region?: 'us-east-1'
  open_tracking?: boolean
  click_tracking?: boolean
}

/** The body of `PATCH /resend/domains/{id}`. */
export interface ResendDomainChanges {
  open_tracking?: boolean
  click_tracking?: boolean
  /** As in the path, where the SDK for Python repeats it. */
  id?: string
}

/** A domain in the list. */
export interface ResendListedDomain {
  id: string
  name: string
  status: 'not_started' | 'pending' | 'verified' | 'failed'
  created_at: string
  region: string
  capabilities: {
    sending: 'enabled' | 'disabled'
    receiving: 'enabled' | 'disabled'
  }
}

/** A domain that was created. */
export interface ResendDomain extends ResendListedDomain {
  open_tracking: boolean
  click_tracking: boolean
  records: {
    record: 'SPF' | 'DKIM'
    name: string
    type: 'TXT' | 'MX'
    ttl: string
    status: 'not_started' | 'pending' | 'verified' | 'failed'
    value: string
    priority?: number
  }[]
}

/** An email in the list. */
export interface ResendListedEmail {
  id: string
  /** The field Message-ID. */
  message_id: string
  to: string[]
  from: string
  /** ISO 8601. */
  created_at: string
  subject: string
  bcc: string[] | null
  cc: string[] | null
  reply_to: string[] | null
  last_event:
    | 'bounced'
    | 'clicked'
    | 'complained'
    | 'delivered'
    | 'delivery_delayed'
    | 'failed'
    | 'opened'
    | 'scheduled'
    | 'sent'
    | 'suppressed'
  scheduled_at: string | null
}

/** An email in detail. */
export interface ResendEmailDetail extends ResendListedEmail {
  object: 'email'
  html: string | null
  text: string | null
  tags?: {
    name: string
    value: string
  }[]
}

/** An attachment of an email. */
export interface ResendAttachment {
  /** The bytes in base64, or as an array of numbers. */
  content?:
    | string
    | number[]
    | {
        type: 'Buffer'
        data: number[]
      }
  /** The URL of the file, in place of `content`. */
  path?: string
  /** Default: the end of `path`, or `attachment`. */
  filename?: string
  /** Default: by the file name. */
  content_type?: string
  /** Makes it a part of the HTML body, which shows it by `cid:`. */
  content_id?: string
}

/** The body of `POST /resend/emails`. */
export interface ResendEmail {
  /** Required, unless the template has one. */
  from?: string
  /** One address, or up to 50. */
  to: string | string[]
  cc?: string | string[]
  bcc?: string | string[]
  reply_to?: string | string[]
  /** Required, unless the template has one. */
  subject?: string
  html?: string
  /** Localpost makes no text of `html`. */
  text?: string
  /** Further header fields. */
  headers?: Record<string, string>
  /** Kept as `metadata`, and in events. */
  tags?: {
    name: string
    value: string
  }[]
  attachments?: ResendAttachment[]
  /**
   * ISO 8601 with Z or an offset, or a span such as "in 5 min", "in 2 hours", "in 1 day"; at most 30
   * days ahead.
   */
  scheduled_at?: string
  /** A template of this account, by its id or alias; without `html` and `text`. */
  template?: {
    id: string
    variables?: Record<string, string | number>
  }
  topic_id?: never
}

/** The body of `PATCH /resend/emails/{id}`. */
export interface ResendReschedule {
  /**
   * ISO 8601 with Z or an offset, or a span such as "in 5 min", "in 2 hours", "in 1 day"; at most 30
   * days ahead.
   */
  scheduled_at: string
  /** As in the path, where the SDK for Python repeats it. */
  id?: string
}

/** A variable of a template. */
export interface ResendTemplateVariable {
  key: string
  type: 'string' | 'number'
  fallback_value?: string | number | null
}

/** The body of `POST /resend/templates`. */
export interface ResendNewTemplate {
  name: string
  /** With `{{{NAME}}}` for variables, as the subject and the text may have. */
  html: string
  /** A name of your own, which can be used in place of the id. */
  alias?: string | null
  /** The sender, unless the email has one. */
  from?: string | null
  /** The subject, unless the email has one. */
  subject?: string | null
  reply_to?: string | string[] | null
  /** Localpost makes no text of `html`. */
  text?: string | null
  variables?: ResendTemplateVariable[] | null
}

/** The body of `PATCH /resend/templates/{id}`. */
export interface ResendTemplateChanges {
  name?: string
  html?: string
  /** A name of your own, which can be used in place of the id. */
  alias?: string | null
  /** The sender, unless the email has one. */
  from?: string | null
  /** The subject, unless the email has one. */
  subject?: string | null
  reply_to?: string | string[] | null
  /** Localpost makes no text of `html`. */
  text?: string | null
  variables?: ResendTemplateVariable[] | null
}

/** A template in the list. */
export interface ResendListedTemplate {
  id: string
  name: string
  alias: string | null
  status: 'draft' | 'published'
  /** ISO 8601. */
  created_at: string
  /** ISO 8601. */
  updated_at: string
  published_at: string | null
}

/** A template as it is: its draft, if it has one. */
export interface ResendTemplate extends ResendListedTemplate {
  object: 'template'
  from: string | null
  subject: string | null
  reply_to: string[] | null
  html: string
  text: string | null
  variables:
    | {
        key: string
        type: 'string' | 'number'
        fallback_value: string | number | null
        /** ISO 8601. */
        created_at: string
        /** ISO 8601. */
        updated_at: string
      }[]
    | null
  has_unpublished_versions: boolean
  current_version_id: string
}

/** What a template has at Resend beside its texts. It is kept in its metadata. */
export interface ResendTemplateDetails {
  alias: string | null
  from: string | null
  reply_to: string[] | null
  variables: ResendTemplateVariable[]
  /** Unix time in milliseconds; null before the first. */
  published: number | null
  /** Changes with each change of the template. */
  version: string
}

/** The body of `POST /resend/webhooks`. */
export interface ResendNewWebhook {
  /** Where events are posted to. */
  endpoint: string
  /**
   * Of email.sent, email.delivered, email.delivery_delayed, email.complained, email.bounced,
   * email.opened, email.clicked, email.failed, email.suppressed.
   */
  events: string[]
}

/** The body of `PATCH /resend/webhooks/{id}`. */
export interface ResendWebhookChanges {
  /** Where events are posted to. */
  endpoint?: string
  /**
   * Of email.sent, email.delivered, email.delivery_delayed, email.complained, email.bounced,
   * email.opened, email.clicked, email.failed, email.suppressed.
   */
  events?: string[]
  /** As in the path, where the SDK for Python repeats it. */
  webhook_id?: string
  /** `disabled`: it gets no events. */
  status?: 'enabled' | 'disabled'
}

/** A webhook in the list. */
export interface ResendListedWebhook {
  id: string
  /** Where events are posted to. */
  endpoint: string
  created_at: string
  status: 'enabled' | 'disabled'
  events: string[]
}
