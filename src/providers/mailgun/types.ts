// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** The body of `POST /v4/domains`. */
export interface MailgunNewDomain {
  name: string
  /** Has no effect. */
  smtp_password?: string
  /** Has no effect. */
  spam_action?: string
  /** Has no effect. */
  wildcard?: string
  /** Has no effect. */
  force_dkim_authority?: string
  /** Has no effect. */
  dkim_key_size?: string
  /** Has no effect. */
  web_scheme?: string
  /** Has no effect. */
  web_prefix?: string
  /** Has no effect. */
  use_automatic_sender_security?: string
  ips?: never
  pool_id?: never
}

/** A domain. */
export interface MailgunDomain {
  id: string
  name: string
  state: 'active' | 'unverified'
  type: 'custom'
  created_at: string
  smtp_login: string
  spam_action: 'disabled'
  wildcard: boolean
  is_disabled: boolean
  require_tls: boolean
  skip_verification: boolean
  web_prefix: string
  web_scheme: 'http'
}

/** A record of a domain in DNS. */
export interface MailgunDnsRecord {
  record_type: 'TXT' | 'MX'
  name: string
  value: string
  priority?: string
  valid: 'valid' | 'unknown'
  is_active: boolean
  cached: string[]
}

/** The filters by which events are chosen. */
export interface MailgunEventFilters {
  /** Names of events: `failed`, `delivered OR opened`. */
  event?: string
  /** `permanent` or `temporary`, of failures. */
  severity?: string
  /** A value, or several with AND, OR and NOT. */
  recipient?: string
  /** A value, or several with AND, OR and NOT. */
  to?: string
  /** A value, or several with AND, OR and NOT. */
  from?: string
  /** A value, or several with AND, OR and NOT. */
  subject?: string
  /** A value, or several with AND, OR and NOT. */
  tags?: string
  /** That of the answer to a send. */
  'message-id'?: string
}

/** The texts of a message, by name; those that begin with `h:` and `v:` aside. */
export interface MailgunSend {
  /** One address. */
  from: string
  /** Addresses, each text one or a list; at most 1000. */
  to: string[]
  cc?: string[]
  bcc?: string[]
  /** Required, unless the template has one. */
  subject?: string
  text?: string
  html?: string
  /** Files. */
  attachment?: string[]
  /** Files that the HTML shows by `cid:` and their name. */
  inline?: string[]
  /** A template of this account. */
  template?: string
  /** A version of the template. */
  't:version'?: string
  't:text'?: 'no' | 'false'
  /** Data of the template: an object in JSON. */
  't:variables'?: string
  /**
   * An object in JSON, by address: each address of `to` gets an email of its own, with its values in
   * `%recipient.name%`.
   */
  'recipient-variables'?: string
  /** Tags of the mail in the inbox, at most 10. */
  'o:tag'?: string[]
  /** RFC 2822 such as "Thu, 26 Nov 2026 09:00:00 +0000", or Unix time in seconds; at most 7 days ahead. */
  'o:deliverytime'?: string
  /** Kept in events. The mail is in the inbox all the same; where mail goes to a relay, it is refused. */
  'o:testmode'?: 'yes' | 'no' | 'true' | 'false'
  /** Opens and clicks. */
  'o:tracking'?: 'yes' | 'no' | 'true' | 'false' | 'htmlonly'
  'o:tracking-clicks'?: 'yes' | 'no' | 'true' | 'false' | 'htmlonly'
  'o:tracking-opens'?: 'yes' | 'no' | 'true' | 'false'
  /** Has no effect: mail of a registered domain is always signed. */
  'o:dkim'?: 'yes' | 'no' | 'true' | 'false'
  /** Has no effect: TLS is the setting of the relay. */
  'o:require-tls'?: 'yes' | 'no' | 'true' | 'false'
  /** Has no effect: TLS is the setting of the relay. */
  'o:skip-verification'?: 'yes' | 'no' | 'true' | 'false'
  /** Has no effect. */
  'o:tracking-pixel-location-top'?: 'yes' | 'no' | 'true' | 'false' | 'htmlonly'
  /** Has no effect. */
  'o:sending-ip'?: string
  /** Has no effect. */
  'o:sending-ip-pool'?: string
  /** Has no effect: no such fields are written. */
  'o:suppress-headers'?: string
  'o:secondary-dkim'?: never
  'o:secondary-dkim-public'?: never
  'o:deliverytime-optimize-period'?: never
  'o:time-zone-localize'?: never
  'o:archive-to'?: never
  'amp-html'?: never
}

/** The same of a message that is sent as a whole. */
export interface MailgunMime {
  /** The recipients, each text an address or a list; at most 1000. */
  to: string[]
  /** A MIME message, as a file or a text. */
  message: string[]
  /** Tags of the mail in the inbox, at most 10. */
  'o:tag'?: string[]
  /** RFC 2822 such as "Thu, 26 Nov 2026 09:00:00 +0000", or Unix time in seconds; at most 7 days ahead. */
  'o:deliverytime'?: string
  /** Kept in events. The mail is in the inbox all the same; where mail goes to a relay, it is refused. */
  'o:testmode'?: 'yes' | 'no' | 'true' | 'false'
  /** `no`: a whole message is never tracked, so `yes` is refused. */
  'o:tracking'?: 'yes' | 'no' | 'true' | 'false' | 'htmlonly'
  'o:tracking-clicks'?: 'yes' | 'no' | 'true' | 'false' | 'htmlonly'
  'o:tracking-opens'?: 'yes' | 'no' | 'true' | 'false'
  /** Has no effect: mail of a registered domain is always signed. */
  'o:dkim'?: 'yes' | 'no' | 'true' | 'false'
  /** Has no effect: TLS is the setting of the relay. */
  'o:require-tls'?: 'yes' | 'no' | 'true' | 'false'
  /** Has no effect: TLS is the setting of the relay. */
  'o:skip-verification'?: 'yes' | 'no' | 'true' | 'false'
  /** Has no effect. */
  'o:tracking-pixel-location-top'?: 'yes' | 'no' | 'true' | 'false' | 'htmlonly'
  /** Has no effect. */
  'o:sending-ip'?: string
  /** Has no effect. */
  'o:sending-ip-pool'?: string
  /** Has no effect: no such fields are written. */
  'o:suppress-headers'?: string
  'o:secondary-dkim'?: never
  'o:secondary-dkim-public'?: never
  'o:deliverytime-optimize-period'?: never
  'o:time-zone-localize'?: never
  'o:archive-to'?: never
  template?: never
  'recipient-variables'?: never
}

/** A bounce to add. */
export interface MailgunBounce extends MailgunComplaint {
  /** Has no effect. */
  code?: string | number
  /** Has no effect. */
  error?: string
}

/** A complaint to add. */
export interface MailgunComplaint {
  address: string
  /** Has no effect: it is added now. */
  created_at?: string
}

/** An unsubscribe to add. */
export interface MailgunUnsubscribe extends MailgunComplaint {
  tag?: '*'
  tags?: '*'[]
}

/** The body of `POST /v3/{domain}/templates`. */
export interface MailgunNewTemplate {
  /** In lower case. */
  name: string
  description?: string
  createdBy?: string
  /** The HTML, with Handlebars. */
  template: string
  /** Of its first version. Default: `initial`. */
  tag?: string
  engine?: 'handlebars'
  comment?: string
  /** An object in JSON with the member `Subject`; others are not supported. */
  headers?: string
  mjml?: never
}

/** The body of `PUT /v3/{domain}/templates/{name}`. */
export interface MailgunTemplateUpdate {
  description: string
}

/** The body of `POST /v3/{domain}/templates/{name}/versions`. */
export interface MailgunNewVersion {
  tag: string
  /** The HTML, with Handlebars. */
  template: string
  /** Whether mail is sent from it unless it names another. Default: `no`. */
  active?: 'yes' | 'no'
  engine?: 'handlebars'
  comment?: string
  /** An object in JSON with the member `Subject`; others are not supported. */
  headers?: string
  mjml?: never
}

/** The body of `PUT /v3/{domain}/templates/{name}/versions/{tag}`. */
export interface MailgunVersionUpdate {
  /** The HTML, with Handlebars. */
  template?: string
  active?: 'yes' | 'no'
  comment?: string
  /** An object in JSON with the member `Subject`; others are not supported. */
  headers?: string
}

/** A version in answers. */
export interface MailgunVersion {
  id: string
  tag: string
  engine: string
  comment: string
  createdAt: string
  active: boolean
  template?: string
  headers?: Record<string, string>
}

/** A template in answers. */
export interface MailgunTemplate {
  id: string
  name: string
  description: string
  createdAt: string
  createdBy: string
  version?: MailgunVersion
  versions?: MailgunVersion[]
}

/** The body of `POST /v3/domains/{domain}/webhooks`. */
export interface MailgunNewWebhook {
  /** The event. */
  id:
    | 'accepted'
    | 'rejected'
    | 'delivered'
    | 'permanent_fail'
    | 'temporary_fail'
    | 'opened'
    | 'clicked'
    | 'complained'
  /** Where events are posted to: at most 3. */
  url: string | string[]
}

/** The body of `PUT /v3/domains/{domain}/webhooks/{name}`. */
export interface MailgunWebhookChanges {
  /** Where events are posted to: at most 3. */
  url: string | string[]
}
