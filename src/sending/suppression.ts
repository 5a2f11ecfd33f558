import { createHash } from 'node:crypto'
import { addressKey } from '../mime/headers/addresses.ts'
import { put, type Change, type Collection, type StoredRecord } from '../store/store.ts'
import type { Suppression } from './types.ts'

/** An address that gets no mail. */
export interface SuppressionRecord extends StoredRecord, Suppression {
  /** The key of the address, by which all its spellings are compared. */
  address_key: string
}

/** The id is made of the key of the address, so that an address is listed once. */
export const suppressionCollection: Collection<SuppressionRecord> = {
  name: 'suppressions',
  indexes: { address: { on: ['address_key'] } },
}

/** The id of the entry of an address. Of a fixed length, because an address may have 320 characters and any of them. */
export function suppressionId(address: string): string {
  return `sup_${createHash('sha256').update(addressKey(address)).digest('hex').slice(0, 32)}`
}

/** The change that adds an entry, or replaces that of its address. */
export function toChange(entry: Suppression): Change {
  const { address } = entry
  const record = { ...entry, id: suppressionId(address), address_key: addressKey(address) }
  return put(suppressionCollection, record)
}
