import type { RandomSource } from '../core/random.ts'
import { untilCommitted } from '../store/repository.ts'
import { insert, type Collection, type Store, type StoredRecord } from '../store/store.ts'

/** The secret that signs tracking addresses, as stored. */
export interface TrackingSecretRecord extends StoredRecord {
  /** 32 bytes in base64url. */
  value: string
}

/** Holds one record. A reset keeps it, so that links in earlier mail stay valid. */
export const trackingSecretCollection: Collection<TrackingSecretRecord> = {
  name: 'tracking',
  indexes: {},
}

/** The secret of the instance, created at its first start. @param random  The source of random numbers. */
export function readTrackingSecret(store: Store, random: RandomSource): Promise<Buffer> {
  return untilCommitted(async () => {
    const stored = await store.get(trackingSecretCollection, 'secret')
    if (stored) return Buffer.from(stored.value, 'base64url')
    const secret = random.bytes(32)
    const value = secret.toString('base64url')
    await store.commit([insert(trackingSecretCollection, { id: 'secret', value })])
    return secret
  })
}
