// Written by `npm run types` from the schemas of this folder. Change those, not this file.

import type { CreatedBy } from '../domains/types.ts'

/** An audience to create or rename: the body of `POST /dev/audiences` and `PATCH /dev/audiences/{id}`. */
export interface AudienceInput {
  /** What people call the audience; need not be unique. */
  name: string
}

/** A contact to add. If its email exists in the audience, that contact is updated with the given members. */
export interface ContactInput {
  /** Bare address; the key within the audience, whatever its case. */
  email: string
  first_name?: string | null
  last_name?: string | null
  /** Default for a new contact: true. */
  is_subscribed?: boolean
}

/** The members of a contact that `PATCH` may change. */
export interface ContactChanges {
  first_name?: string | null
  last_name?: string | null
  is_subscribed?: boolean
}

/** An audience, docs/interface.md 2.6. */
export interface Audience {
  id: string
  name: string
  created_by: CreatedBy
  /** Unix time in milliseconds. */
  created: number
  /** Unix time in milliseconds of the last renaming; contacts do not change it. */
  updated: number
  /** All contacts, subscribed or not. */
  contact_count: number
  /** Contacts that are not subscribed. */
  unsubscribers: number
}

/** A contact, docs/interface.md 2.7. */
export interface Contact {
  id: string
  first_name: string | null
  last_name: string | null
  email: string
  is_subscribed: boolean
  /** Unix time in milliseconds. */
  created: number
  /** Unix time in milliseconds. */
  updated: number
}

/** The result of an import: the answer to `POST /dev/audiences/{id}/contacts`. */
export interface ImportResult {
  /** Contacts that were new. */
  created: number
  /** Contacts that were there already, or further up in the same import. */
  updated: number
  /** What was not stored: the first 1,000 rows, and one more entry that counts the others. */
  rejected: {
    /** From 1: line of the CSV text, or position in the array. */
    line: number
    /** What is wrong with it. */
    message: string
  }[]
}
