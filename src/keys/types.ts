// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** What a key may be used for. */
export type Scope = 'full' | 'send' | 'read'

/** What a key is made with: the body of `POST /dev/keys`. */
export interface ApiKeyInput {
  /** What the key is for. */
  name?: string | null
  /**
   * `full`: everything. `send`: `POST /v1/emails` and the SMTP login. `read`: what changes nothing.
   * Default: `full`.
   */
  scope?: Scope
}

/** An API key as `/dev/keys` answers it. */
export interface ApiKey {
  /** Of a key from the options: `option_1`, `option_2`, …. */
  id: string
  /** What the key is for; null where it has no name. */
  name: string | null
  /** Keys from the options have the scope `full`. */
  scope: Scope
  /** Unix time in milliseconds; of a key from the options: when this instance began. */
  created: number
  /** Masked, as in `lp_abcd…wxyz`; whole in the answer to the creation, and on loopback. */
  value: string
  /** Keys from the options last as long as the instance and cannot be removed. */
  source: 'stored' | 'option'
}
