import type { Collection, StoredRecord } from '../store/store.ts'
import type { ApiKey, Scope } from './types.ts'

/** An API key as stored. The value is kept whole: the start-up banner and the page show it. */
export interface ApiKeyRecord extends StoredRecord, Omit<ApiKey, 'source' | 'scope'> {
  /** Keys of earlier versions have none, and are `full`. */
  scope?: Scope
}

export const apiKeyCollection: Collection<ApiKeyRecord> = { name: 'keys', indexes: {} }
