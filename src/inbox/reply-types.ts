// Written by `npm run types` from the schemas of this folder. Change those, not this file.

import type { ContentAttachment } from '../sending/types.ts'

/** The answer to a mail, as its recipient gives it. */
export interface ReplyRequest {
  /** The recipient of the mail who answers: a bare address. Default: the first one of the envelope. */
  from?: string
  /** Plain-text body; at least one of `text` and `html` is required. */
  text?: string
  /** HTML body. */
  html?: string
  /**
   * Whether the mail is quoted below: in `text` by lines that begin with `> `, in `html` as a
   * blockquote. Default: false.
   */
  quote?: boolean
  /**
   * Further header fields by name: at most 98, and 65536 characters together, those of References
   * included. Fields that Localpost writes itself are refused.
   */
  headers?: Record<string, string>
  /** Files to attach. */
  attachments?: ContentAttachment[]
  /**
   * Answer even a mail that was sent automatically: one with the field Auto-Submitted, or with an empty
   * envelope sender. Default: false.
   */
  force?: boolean
}
