// Written by `npm run types` from the schemas of this folder. Change those, not this file.

/** What a key is made with: the body of `POST /dev/keys`. */
export interface ApiKeyInput {
  /** What the key is for. */
  name?: string | null
}

/** An API key as `/dev/keys` answers it. */
export interface ApiKey {
  /** Of a key from the options: `option_1`, `option_2`, …. */
  id: string
  /** What the key is for; null where it has no name. */
  name: string | null
  /** Unix time in milliseconds; of a key from the options: when this instance began. */
  created: number
  /** Masked, as in `lp_abcd…wxyz`; whole in the answer to the creation, and on loopback. */
  value: string
  /** Keys from the options last as long as the instance and cannot be removed. */
  source: 'stored' | 'option'
}
