// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** An address with its display name. */
export interface SendGridAddress {
  email: string
  name?: string
}

/** One email of a request. */
export interface SendGridPersonalization {
  to: SendGridAddress[]
  cc?: SendGridAddress[]
  bcc?: SendGridAddress[]
  from?: SendGridAddress
  subject?: string
  headers?: Record<string, string>
  /** Texts that replace others in the subject, the content and Reply-To. */
  substitutions?: Record<string, string | null>
  dynamic_template_data?: Record<string, unknown>
  custom_args?: Record<string, string>
  /** Unix time in seconds, at most 72 hours ahead. What is past is sent at once. */
  send_at?: number
}

/** A body of an email. */
export interface SendGridContent {
  type: 'text/plain' | 'text/html'
  value: string
}

/** An attachment. */
export interface SendGridAttachment {
  /** The bytes in base64. */
  content: string
  filename: string
  /** Default: by the file name. */
  type?: string
  disposition?: 'inline' | 'attachment'
  /** Of an inline attachment. */
  content_id?: string
}

/** How an email is handled. */
export interface SendGridMailSettings {
  /** Checks the request, stores no email, and answers 200. */
  sandbox_mode?: {
    enable?: boolean
  }
  /** Sends to recipients on the suppression list too. */
  bypass_list_management?: {
    enable?: boolean
  }
  bypass_spam_management?: {
    enable?: false
  }
  bypass_bounce_management?: {
    enable?: false
  }
  bypass_unsubscribe_management?: {
    enable?: false
  }
  footer?: {
    enable?: false
    text?: string
    html?: string
  }
  bcc?: {
    enable?: false
    email?: string
  }
  spam_check?: {
    enable?: false
    threshold?: number
    post_to_url?: string
  }
}

/** What is tracked of an email. */
export interface SendGridTrackingSettings {
  /** In place of the settings of the domain; `enable_text` has no effect: links in text stay. */
  click_tracking?: {
    enable?: boolean
    enable_text?: boolean
  }
  open_tracking?: {
    enable?: boolean
    /** Is removed from the HTML: the pixel is at its end. */
    substitution_tag?: string
  }
  subscription_tracking?: {
    enable?: false
    text?: string
    html?: string
    substitution_tag?: string
  }
  ganalytics?: {
    enable?: false
    utm_source?: string
    utm_medium?: string
    utm_term?: string
    utm_content?: string
    utm_campaign?: string
  }
}

/** The body of `POST /sendgrid/v3/mail/send`. */
export interface SendGridMail {
  /** The emails, each with its recipients, who see each other. */
  personalizations: SendGridPersonalization[]
  from: SendGridAddress
  reply_to?: SendGridAddress
  /** In place of `reply_to`. */
  reply_to_list?: SendGridAddress[]
  /** Required, unless the personalizations or the template have one. */
  subject?: string
  /** `text/plain` before `text/html`; required without `template_id`. */
  content?: SendGridContent[]
  attachments?: SendGridAttachment[]
  template_id?: string
  /** Further header fields; those of a personalization replace them. */
  headers?: Record<string, string>
  /** Tags of the mail in the inbox, cut to 100 characters there; whole in events. */
  categories?: string[]
  /** Kept as `metadata`, and in events. */
  custom_args?: Record<string, string>
  /** Unix time in seconds, at most 72 hours ahead. What is past is sent at once. */
  send_at?: number
  /** By which emails that wait for `send_at` are cancelled. */
  batch_id?: string
  /** Events have `asm_group_id`; no link is added and no group is checked. */
  asm?: {
    group_id: number
    groups_to_display?: number[]
  }
  /** Has no effect. */
  ip_pool_name?: string
  mail_settings?: SendGridMailSettings
  tracking_settings?: SendGridTrackingSettings
  sections?: never
}

/** An address that a mail bounced from. */
export interface SendGridBounce extends SendGridUnsubscribe {
  /** The reply of the bounce; empty where its email is gone. */
  reason: string
  /** The enhanced status code of the reply. */
  status: string
}

/** An address whose owner complained. */
export interface SendGridSpamReport extends SendGridUnsubscribe {
  ip: string
}

/** An address that gets no mail at all. */
export interface SendGridUnsubscribe {
  /** Unix time in seconds. */
  created: number
  email: string
}

/** Which entries of a list are removed. */
export interface SendGridRemoval {
  delete_all?: true
  emails?: string[]
}

/** Addresses that get no mail any more. */
export interface SendGridGlobalInput {
  recipient_emails: string[]
}

/** The body of `POST /sendgrid/v3/templates`. */
export interface SendGridNewTemplate {
  name: string
  /** `dynamic`: there are no legacy templates. */
  generation: 'dynamic'
}

/** The body of `PATCH /sendgrid/v3/templates/{template_id}`. */
export interface SendGridTemplateChanges {
  name: string
}

/** The body of `POST /sendgrid/v3/templates/{template_id}/versions`. */
export interface SendGridNewVersion {
  name: string
  subject: string
  html_content?: string
  /** No text is made of `html_content` without it. */
  plain_content?: string
  /** Has no effect: no text is made of HTML. */
  generate_plain_content?: boolean
  /** 1: emails are sent with it. The first version is always active; default for others: 0. */
  active?: 0 | 1
  editor?: 'code' | 'design'
  test_data?: string
  /** Has no effect. */
  template_id?: string
  /** Has no effect. */
  thumbnail_url?: string
}

/** The body of `PATCH /sendgrid/v3/templates/{template_id}/versions/{version_id}`. */
export interface SendGridVersionChanges {
  name?: string
  subject?: string
  html_content?: string
  /** No text is made of `html_content` without it. */
  plain_content?: string
  /** Has no effect: no text is made of HTML. */
  generate_plain_content?: boolean
  /** 1: emails are sent with it. Default: as it was. */
  active?: 0 | 1
  editor?: 'code' | 'design'
  test_data?: string
  /** Has no effect. */
  template_id?: string
  /** Has no effect. */
  thumbnail_url?: string
}

/** A version as the metadata of its template has it; the one that is active has its texts in the template itself. */
export interface SendGridKeptVersion {
  id: string
  name: string
  updated: number
  generate_plain_content: boolean
  editor: 'code' | 'design'
  test_data: string
  content: {
    subject: string
    html_content: string
    plain_content: string
  } | null
}

/** A version of a template in a list. */
export interface SendGridListedVersion {
  id: string
  template_id: string
  active: 0 | 1
  name: string
  subject: string
  generate_plain_content: boolean
  editor: 'code' | 'design'
  /** In UTC: `2026-01-31 09:00:00`. */
  updated_at: string
}

/** A version of a template. */
export interface SendGridVersion extends SendGridListedVersion {
  html_content: string
  plain_content: string
  test_data: string
}

/** A template in a list. */
export interface SendGridListedTemplate {
  id: string
  name: string
  generation: 'dynamic'
  /** In UTC: `2026-01-31 09:00:00`. */
  updated_at: string
  versions: SendGridListedVersion[]
}

/** A template with its versions. */
export interface SendGridTemplate {
  id: string
  name: string
  generation: 'dynamic'
  /** In UTC: `2026-01-31 09:00:00`. */
  updated_at: string
  versions: SendGridVersion[]
}

/** The body of `POST /sendgrid/v3/user/webhooks/event/settings`. */
export interface SendGridNewWebhook {
  /** Where events are posted to. */
  url: string
  enabled?: true
  friendly_name?: never
  processed?: boolean
  deferred?: boolean
  delivered?: boolean
  bounce?: boolean
  dropped?: boolean
  open?: boolean
  click?: boolean
  spam_report?: boolean
  /** Is taken, and there is no such event here. */
  unsubscribe?: boolean
  /** Is taken, and there is no such event here. */
  group_unsubscribe?: boolean
  /** Is taken, and there is no such event here. */
  group_resubscribe?: boolean
  oauth_client_id?: never
  oauth_client_secret?: never
  oauth_token_url?: never
}

/** The body of `PATCH /sendgrid/v3/user/webhooks/event/settings/{id}`. */
export interface SendGridWebhookChanges {
  /** Where events are posted to. */
  url?: string
  /** Whether it gets events. */
  enabled?: boolean
  friendly_name?: never
  processed?: boolean
  deferred?: boolean
  delivered?: boolean
  bounce?: boolean
  dropped?: boolean
  open?: boolean
  click?: boolean
  spam_report?: boolean
  /** Is taken, and there is no such event here. */
  unsubscribe?: boolean
  /** Is taken, and there is no such event here. */
  group_unsubscribe?: boolean
  /** Is taken, and there is no such event here. */
  group_resubscribe?: boolean
  oauth_client_id?: never
  oauth_client_secret?: never
  oauth_token_url?: never
}

/** A webhook that was created. */
export interface SendGridWebhook {
  id: string
  url: string
  enabled: boolean
  friendly_name: null
  processed: boolean
  deferred: boolean
  delivered: boolean
  bounce: boolean
  dropped: boolean
  open: boolean
  click: boolean
  spam_report: boolean
  unsubscribe: false
  group_unsubscribe: false
  group_resubscribe: false
  created_date: string
  updated_date: string
}

/** A webhook in detail, and in the list. */
export interface SendGridListedWebhook extends SendGridWebhook {
  /** What the receiver checks signatures with: base64 of DER. */
  public_key: string
}

/** The public key of a webhook. */
export interface SendGridSignedWebhook {
  id: string
  /** What the receiver checks signatures with: base64 of DER. */
  public_key: string
}
