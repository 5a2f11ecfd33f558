import type { Collection, StoredRecord } from '../store/store.ts'
import type { ApiKey } from './types.ts'

/** An API key as stored. The value is kept whole: the start-up banner and the page show it. */
export interface ApiKeyRecord extends StoredRecord, Omit<ApiKey, 'source'> {}

export const apiKeyCollection: Collection<ApiKeyRecord> = { name: 'keys', indexes: {} }
