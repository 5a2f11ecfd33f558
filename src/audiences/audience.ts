import type { Collection, StoredRecord } from '../store/store.ts'
import type { Audience, Contact } from './types.ts'

/** An audience as stored; its counts are derived from its contacts. */
export interface AudienceRecord extends StoredRecord, Pick<Audience, 'id' | 'name' | 'created' | 'updated'> {}

/** A contact as stored. */
export interface ContactRecord extends StoredRecord, Contact {
  audience_id: string
  /** `email` case-folded: unique within the audience, and the order of the list. */
  email_key: string
}

export const audienceCollection: Collection<AudienceRecord> = { name: 'audiences', indexes: {} }

export const contactCollection: Collection<ContactRecord> = {
  name: 'contacts',
  large: true,
  indexes: {
    email: { on: ['audience_id', 'email_key'], unique: true },
    subscription: { on: ['audience_id', 'is_subscribed', 'email_key'] },
  },
}
