// Written by `npm run types` from the schemas of this folder. Change those, not this file.

import type { VariableValue } from '../emails/send-types.ts'

import type { TemplateEngine } from '../templates/types.ts'

/** An attachment whose bytes are in the request. */
export interface ContentAttachment {
  /** Without path separators or control characters. */
  name: string
  /** The bytes in base64. */
  content: string
  /** Default: by the file name. */
  content_type?: string
  /** Makes it a part of the HTML body, which shows it by `cid:`; without angle brackets. */
  content_id?: string
}

/** An attachment: where its bytes are, as in `POST /v1/emails`, or the bytes themselves. */
export type SentAttachment =
  | ContentAttachment
  | {
      /** Without path separators or control characters. */
      filename: string
      /** An http(s) URL, a `data:` URI, or a file under `attachments.root`. */
      path: string
      /** Default: by the file name. */
      content_type?: string
      /** Makes it a part of the HTML body, which shows it by `cid:`; without angle brackets. */
      content_id?: string
    }

/** How the texts of a request are rendered. All but `engine` is for the engines `handlebars` and `mustachio`. */
export interface Rendering {
  /** The language of the texts of the request, unless it names a template. Default: placeholders. */
  engine?: TemplateEngine
  /** What becomes of a name that `data` lacks: nothing, or the error missing_variable. Default: empty. */
  missing?: 'empty' | 'error'
  /** Where `{{name}}` is escaped for HTML: in `html`, in all texts, or nowhere. Default: html. */
  escape?: 'html' | 'all' | 'none'
  /**
   * The helpers of Handlebars: its own, or also equals, notEquals, greaterThan, lessThan, and, or,
   * length, insert and formatDate. Default: extended.
   */
  helpers?: 'basic' | 'extended'
}

/** A whole request: what `POST /dev/emails`, the library and the interfaces of providers send. */
export interface SendingRequest {
  /** Sender as display name plus address; required but with `raw`. */
  from?: string
  /** Addresses with or without display names; each text may be a list. Required but with `raw`. */
  to?: string | string[]
  cc?: string | string[]
  bcc?: string | string[]
  /** One address or several. */
  reply_to?: string | string[]
  /** Required unless the template has one; at most 3992 bytes in UTF-8, also with variables filled in. */
  subject?: string
  /**
   * HTML body, with placeholders in double curly braces; the bodies together at most 40000000 bytes,
   * also with variables filled in.
   */
  html?: string
  /** Plain-text body, with the same placeholders. */
  text?: string
  /** A stored template; the request’s own members take precedence. */
  template_id?: string
  /** Name to value, or to value and default; at most 1000. */
  variables?: Record<string, VariableValue>
  /**
   * What the template is rendered with, in place of `variables`: any JSON, nested at most 100 levels.
   * Placeholders take texts, numbers and truth values only.
   */
  data?: Record<string, unknown>
  rendering?: Rendering
  /**
   * Further header fields by name: at most 100, and 65536 characters together. Fields that Localpost
   * writes itself are refused.
   */
  headers?: Record<string, string>
  attachments?: SentAttachment[]
  /**
   * Names and values that stay with the email and are not in its message: at most 100, and 32768
   * characters together.
   */
  metadata?: Record<string, string>
  /** Tags of the mail in the inbox; the first 50, each cut to 100 characters. */
  tags?: string[]
  /**
   * A whole MIME message in base64, in place of the members above. Its Bcc fields are removed, and it is
   * signed; all other bytes stay.
   */
  raw?: string
  /** The addresses that a `raw` message is sent from and to. */
  envelope?: {
    /** Default: the address of From. */
    mail_from?: string
    /** Default: the addresses of To, Cc and Bcc. */
    rcpt_to?: string[]
  }
  /**
   * When to send it: Unix time in milliseconds, or ISO 8601 with Z or an offset; at most 10 years ahead.
   * What is past is sent at once.
   */
  send_at?: number | string
  /** In place of the settings of the domain. A `raw` message is never tracked. */
  tracking?: {
    opens?: boolean
    clicks?: boolean
  }
  /** Whether recipients on the suppression list get it too. Default: false. */
  ignore_suppressions?: boolean
  /** The interface that the request came by, and the id that its answer gave. */
  provider?: {
    name: string
    message_id: string
  }
}

/** The answer to one request. */
export interface SentEmail {
  /** Of the email; of one that is sent later, of the scheduled one. */
  id: string
  warnings: string[]
  /** `provider.message_id` of the request; absent without one. */
  message_id?: string
}

/** An email that is sent later. */
export interface ScheduledEmail {
  /** Begins with `sch_`; the email gets an id of its own when it is sent. */
  id: string
  /** When it is sent: Unix time in milliseconds. */
  send_at: number
  /** When it was accepted: Unix time in milliseconds. */
  created: number
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
  /** The addresses of MAIL FROM and RCPT TO, which the header need not name. */
  envelope: {
    mail_from: string
    rcpt_to: string[]
  }
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
}

/** An entry of the suppression list. */
export interface Suppression {
  /** Bare. */
  address: string
  reason: 'bounce' | 'complaint' | 'manual'
  /** When it was added: Unix time in milliseconds. */
  created: number
  /** The email whose event added it; absent without one. */
  email_id?: string
}

/** The body of `POST /dev/suppressions`. */
export interface SuppressionInput {
  /** Bare, without a display name. */
  address: string
  /** Default: manual. */
  reason?: 'bounce' | 'complaint' | 'manual'
}
