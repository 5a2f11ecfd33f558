import type { Clock } from '../core/clock.ts'
import type { Complete } from '../core/complete.ts'
import type { Ids } from '../core/ids.ts'
import { notFound, untilCommitted } from '../store/repository.ts'
import { type Change, type Store, insert, remove, update } from '../store/store.ts'
import { emailKey } from './addresses.ts'
import { type ContactRecord, audienceCollection, contactCollection } from './audience.ts'
import type { ContactInput } from './types.ts'

/** Where contacts are stored. */
export interface ContactStore {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
}

/** How many contacts were new, and how many inputs named one that was there already, or further up. */
export interface WrittenContacts {
  created: number
  updated: number
}

/**
 * Adds or updates contacts of an audience by their emails, in one commit; a later input updates an earlier one.
 *
 * @throws not_found if the audience was removed meanwhile; then none of them is stored.
 */
export async function writeContacts(
  audienceId: string,
  inputs: readonly ContactInput[],
  deps: ContactStore,
): Promise<WrittenContacts> {
  const contacts = await untilCommitted(async () => {
    const stored = await findContacts(deps.store, audienceId, inputs)
    const merged = merge(audienceId, inputs, stored, deps)
    const changes = [...merged].flatMap(([key, contact]): Change[] => {
      const before = stored.get(key)
      if (before === contact) return []
      return [before ? update(contactCollection, contact) : insert(contactCollection, contact)]
    })
    if (changes.length > 0) await deps.store.commit(changes)
    return { created: merged.size - stored.size, ids: [...merged.values()].map(({ id }) => id) }
  })
  await removeOrphans(deps.store, audienceId, contacts.ids)
  return { created: contacts.created, updated: inputs.length - contacts.created }
}

/** The stored contacts with the emails of the inputs, by their keys. */
async function findContacts(
  store: Store,
  audienceId: string,
  inputs: readonly ContactInput[],
): Promise<Map<string, ContactRecord>> {
  const keys = [...new Set(inputs.map(({ email }) => emailKey(email)))]
  const found = await Promise.all(
    keys.map((key) => store.find(contactCollection, 'email', [audienceId, key])),
  )
  return new Map(found.flatMap((contact) => (contact ? [[contact.email_key, contact] as const] : [])))
}

/** The contacts after all inputs, by their keys. One that stays as it is stored is the same object. */
function merge(
  audienceId: string,
  inputs: readonly ContactInput[],
  stored: ReadonlyMap<string, ContactRecord>,
  { clock, ids }: ContactStore,
): Map<string, ContactRecord> {
  const merged = new Map<string, ContactRecord>()
  const now = clock.now()
  for (const input of inputs) {
    const key = emailKey(input.email)
    const before = merged.get(key) ?? stored.get(key)
    const after = before
      ? withMembers(before, input, now)
      : newContact(ids.next('con'), audienceId, input, now)
    merged.set(key, after)
  }
  return merged
}

/**
 * Removes contacts whose audience was removed while they were written: they were committed after the removal of the audience had
 * looked for its contacts for the last time.
 *
 * @throws not_found if the audience was removed.
 */
async function removeOrphans(store: Store, audienceId: string, ids: readonly string[]): Promise<void> {
  if (await store.get(audienceCollection, audienceId)) return
  await store.commit(ids.map((id) => remove(contactCollection, id)))
  throw notFound('audience', audienceId)
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
  const { email, first_name, last_name, is_subscribed } = { ...contact, ...definedOf(given) }
  const isSame =
    email === contact.email &&
    first_name === contact.first_name &&
    last_name === contact.last_name &&
    is_subscribed === contact.is_subscribed
  return isSame ? contact : { ...contact, email, first_name, last_name, is_subscribed, updated: now }
}

function definedOf(given: Partial<ContactInput>): Partial<ContactInput> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}
