// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** The scope of a key. */
export type Scope = 'full' | 'send' | 'read'

/** A key to create: the body of `POST /dev/keys`. */
export interface ApiKeyInput {
  /** What the key is for. */
  name?: string | null
  /**
   * `full`: everything. `send`: `POST /v1/emails`, `POST /dev/emails` and the SMTP login. `read`: what
   * changes nothing. Default: `full`.
   */
  scope?: Scope
}

/** An API key as `/dev/keys` answers it. */
export interface ApiKey {
  /** Of a key from the options: `option_1`, `option_2`, …. */
  id: string
  /** What the key is for; null if it has no name. */
  name: string | null
  /** Keys from the options have the scope `full`. */
  scope: Scope
  /** Unix time in milliseconds; of a key from the options: when this instance began. */
  created: number
  /** Masked, as in `lp_abcd…wxyz`; whole in the answer to the creation, and on loopback. */
  value: string
  /** Keys from the options exist while the instance runs and cannot be removed. */
  source: 'stored' | 'option'
}
