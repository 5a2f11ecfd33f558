import type { Clock } from '../core/clock.ts'
import type { Complete } from '../core/complete.ts'
import type { Ids } from '../core/ids.ts'
import { notFound, untilCommitted } from '../store/repository.ts'
import { type Change, type Store, insert, remove, update } from '../store/store.ts'
import { emailKey } from './addresses.ts'
import { type ContactRecord, audienceCollection, contactCollection } from './audience.ts'
import type { ContactInput } from './types.ts'

/**
 * Adds or updates contacts of an audience by their emails, in one commit; a later input updates an earlier one.
 *
 * @throws not_found if the audience was removed meanwhile; then none of them is stored.
 */
export type WriteContacts = (audienceId: string, inputs: readonly ContactInput[]) => Promise<WrittenContacts>

/** How many contacts were new, and how many inputs changed one that was there. */
export interface WrittenContacts {
  created: number
  updated: number
}

export function createContactWriter({
  store,
  clock,
  ids,
}: {
  store: Store
  clock: Clock
  ids: Ids
}): WriteContacts {
  async function merge(audienceId: string, inputs: readonly ContactInput[]): Promise<Merged> {
    const keys = [...new Set(inputs.map(({ email }) => emailKey(email)))]
    const stored = await Promise.all(
      keys.map((key) => store.find(contactCollection, 'email', [audienceId, key])),
    )
    const known = new Map(
      stored.flatMap((contact) => (contact ? [[contact.email_key, contact] as const] : [])),
    )
    const latest = new Map<string, ContactRecord>()
    const now = clock.now()
    let created = 0
    for (const input of inputs) {
      const key = emailKey(input.email)
      const before = latest.get(key) ?? known.get(key)
      if (!before) created++
      latest.set(
        key,
        before ? withMembers(before, input, now) : newContact(ids.next('con'), audienceId, input, now),
      )
    }
    const changes: Change[] = []
    for (const [key, contact] of latest) {
      const before = known.get(key)
      if (!before) changes.push(insert(contactCollection, contact))
      else if (before !== contact) changes.push(update(contactCollection, contact))
    }
    return { created, updated: inputs.length - created, contacts: [...latest.values()], changes }
  }

  // The removal of an audience removes its contacts twice. Contacts that are committed even later are removed here, so
  // that none is left without an audience.
  async function takeBackFromNowhere(audienceId: string, contacts: readonly ContactRecord[]): Promise<void> {
    if (await store.get(audienceCollection, audienceId)) return
    await store.commit(contacts.map(({ id }) => remove(contactCollection, id)))
    throw notFound('audience', audienceId)
  }

  // On a conflict, the contacts are read again.
  return async (audienceId, inputs) => {
    const { created, updated, contacts } = await untilCommitted(async () => {
      const merged = await merge(audienceId, inputs)
      if (merged.changes.length > 0) await store.commit(merged.changes)
      return merged
    })
    await takeBackFromNowhere(audienceId, contacts)
    return { created, updated }
  }
}

interface Merged extends WrittenContacts {
  /** As they are afterwards. */
  contacts: ContactRecord[]
  changes: Change[]
}

function newContact(
  id: string,
  audienceId: string,
  input: ContactInput,
  now: number,
): Complete<ContactRecord> {
  return {
    id,
    version: 1,
    audience_id: audienceId,
    email: input.email,
    email_key: emailKey(input.email),
    first_name: input.first_name ?? null,
    last_name: input.last_name ?? null,
    is_subscribed: input.is_subscribed ?? true,
    created: now,
    updated: now,
  }
}

/** The contact with the given members. If that changes nothing, the same object, so that `updated` stays. */
export function withMembers(
  contact: ContactRecord,
  given: Partial<ContactInput>,
  now: number,
): ContactRecord {
  const { email, first_name, last_name, is_subscribed } = contact
  const members = { email, first_name, last_name, is_subscribed, ...definedOf(given) }
  const same = members.email === email && members.first_name === first_name && members.last_name === last_name
  if (same && members.is_subscribed === is_subscribed) return contact
  return { ...contact, ...members, updated: now }
}

function definedOf(given: Partial<ContactInput>): Partial<ContactInput> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
