import type { Account } from '../domains/domain.ts'
import type { Collection, StoredRecord } from '../store/store.ts'

/** An audience as stored; its counts are derived from its contacts. */
export interface AudienceRecord extends StoredRecord {
  name: string
  created: number
  updated: number
}

/** A contact as stored. */
export interface ContactRecord extends StoredRecord {
  audience_id: string
  email: string
  /** `email` case-folded: unique within the audience, and the order of the list. */
  email_key: string
  first_name: string | null
  last_name: string | null
  is_subscribed: boolean
  created: number
  updated: number
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

/** An audience, docs/interface.md 2.6. */
export interface Audience {
  id: string
  name: string
  created_by: Account
  created: number
  updated: number
  contact_count: number
  unsubscribers: number
}

/** A contact, docs/interface.md 2.7. */
export interface Contact {
  id: string
  first_name: string | null
  last_name: string | null
  email: string
  is_subscribed: boolean
  created: number
  updated: number
}

/** What an audience is made or renamed with. */
export interface AudienceInput {
  name: string
}

/** A contact to add; one whose email is there already is updated with the members given. */
export interface ContactInput {
  email: string
  first_name?: string | null
  last_name?: string | null
  /** Default for a new contact: true. */
  is_subscribed?: boolean
}

/** What `PATCH` of a contact may change. */
export interface ContactChanges {
  first_name?: string | null
  last_name?: string | null
  is_subscribed?: boolean
}

/** What an import did. `line` counts from 1: the line of the CSV text, or the position in the array. */
export interface ImportResult {
  created: number
  updated: number
  /** The first 1,000 wrong rows, and one more entry that counts the others. */
  rejected: { line: number; message: string }[]
}
