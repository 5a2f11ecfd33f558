// Written by `npm run types` from the schemas of this folder. Change those, not this file.

import type { AttachmentReference } from '../attachments/types.ts'

/** A value for a placeholder: itself, or with a default that is used where `value` is null or absent. */
export type VariableValue =
  | string
  | {
      value?: string | null
      default?: string
    }

/** The body of `POST /v1/emails`, docs/interface.md 4.2. Unknown members are ignored here and warned of elsewhere. */
export interface SendRequest {
  /** Sender as display name plus address; its domain determines the signature. */
  from: string
  /**
   * One address, with or without display name. A comma-separated list or an array is accepted with a
   * warning.
   */
  to: string | string[]
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
  /**
   * One address, with or without display name. A comma-separated list or an array is accepted with a
   * warning.
   */
  cc?: string | string[]
  /**
   * One address, with or without display name. A comma-separated list or an array is accepted with a
   * warning.
   */
  bcc?: string | string[]
  reply_to?: string
  /** Name to value, or to value and default; at most 1000. */
  variables?: Record<string, VariableValue>
  attachments?: AttachmentReference[]
}
