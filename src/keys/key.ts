import type { Collection, StoredRecord } from '../store/store.ts'

/** An API key as stored. The value is kept whole: the start-up banner and the page show it. */
export interface ApiKeyRecord extends StoredRecord {
  /** What it is for; null where nobody said. */
  name: string | null
  value: string
  created: number
}

export const apiKeyCollection: Collection<ApiKeyRecord> = { name: 'keys', indexes: {} }

/** An API key as `/dev/keys` answers it. */
export interface ApiKey {
  /** Of a key from the options: `option_1`, `option_2`, … */
  id: string
  name: string | null
  /** Unix time in milliseconds; of a key from the options: when this instance began. */
  created: number
  /** Masked in lists, as in `lp_abcd…wxyz`; whole in the answer to its creation. */
  value: string
  /** Keys from the options last as long as the instance and cannot be removed. */
  source: 'stored' | 'option'
}

/** What a key is made with. */
export interface ApiKeyInput {
  name?: string | null
}
