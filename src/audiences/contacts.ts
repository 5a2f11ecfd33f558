import type { Complete } from '../core/complete.ts'
import type { LongBody } from '../core/long-body.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import type { ListPage, ListQuery } from '../core/lists.ts'
import { changeRecord, listRecords, notFound, readRecord, untilCommitted } from '../store/repository.ts'
import { type Change, remove, update } from '../store/store.ts'
import { parseInput } from '../core/validate.ts'
import { contactAddressFault, emailKey } from './addresses.ts'
import { type ContactRecord, audienceCollection, contactCollection } from './audience.ts'
import type { Contact, ContactChanges, ContactInput, ImportResult } from './types.ts'
import { type ImportDeps, importContacts } from './contact-import.ts'
import { withMembers, writeContacts } from './contact-writer.ts'
import { contactChangesSchema, contactInputSchema } from './schema.ts'

/** The contacts of audiences. Every call throws not_found if the audience does not exist. */
export interface Contacts {
  /** Adds a contact, or updates the one with this email by the members given. @throws validation_error */
  add(audienceId: string, input: ContactInput): Promise<Contact>
  /**
   * Adds or updates many contacts, one row after the other: a later row updates an earlier one with the same email.
   * Invalid rows are returned in `rejected`, all others are stored. The first 1,000 invalid rows have an entry each;
   * one more entry, at the line of the next one, says how many others there are.
   *
   * Stored in commits of at most 250 contacts. If one fails, the earlier ones stay stored; importing the same again is
   * harmless, because the email is the key.
   *
   * @param source  Contacts, or CSV text with a header line.
   * @param options.dryRun  Reads and counts as an import would, and stores nothing. Default: false.
   * @throws validation_error when `source` is neither, the CSV has no column for the email, a line has more than 65,536
   *   characters, or there are more than a million rows; nothing is stored then.
   */
  import(
    audienceId: string,
    source: readonly ContactInput[] | string,
    options?: { dryRun?: boolean },
  ): Promise<ImportResult>
  /** By email, case-folded, ascending; the cursor is an email. @throws invalid_cursor */
  list(audienceId: string, query?: ListQuery): Promise<ListPage<Contact>>
  /** @throws not_found */
  get(audienceId: string, contactId: string): Promise<Contact>
  /** Changes the given members. @throws not_found, validation_error */
  update(audienceId: string, contactId: string, changes: ContactChanges): Promise<Contact>
  /** @throws not_found */
  remove(audienceId: string, contactId: string): Promise<void>
}

type ImportParameters = Parameters<Contacts['import']>

/** The same, and what links in mails need. */
export interface InnerContacts extends Contacts {
  /** The same for the body of a request too, which is CSV text or JSON. */
  import(
    audienceId: string,
    source: ImportParameters[1] | LongBody,
    options?: ImportParameters[2],
  ): Promise<ImportResult>
  /**
   * Ends a subscription. If it has ended already, nothing changes.
   *
   * @param furtherChanges  Returns further changes for the same commit. It may be called more than once.
   * @throws not_found
   */
  unsubscribe(audienceId: string, contactId: string, furtherChanges: () => Promise<Change[]>): Promise<void>
}

export function createContacts(deps: ImportDeps & { readonly pageSize: number }): InnerContacts {
  const { store, clock, pageSize } = deps

  const assertAudience = async (audienceId: string): Promise<void> => {
    await readRecord(store, audienceCollection, audienceId, 'audience')
  }
  const readContact = async (audienceId: string, contactId: string): Promise<ContactRecord> => {
    await assertAudience(audienceId)
    const contact = await store.get(contactCollection, contactId)
    if (contact?.audience_id !== audienceId) throw notFound(`contact of audience ${audienceId}`, contactId)
    return contact
  }

  return {
    async add(audienceId, input) {
      const contact = parseInput(contactInputSchema, input)
      await assertAudience(audienceId)
      await writeContacts(audienceId, [contact], deps)
      const stored = await store.find(contactCollection, 'email', [audienceId, emailKey(contact.email)])
      if (!stored) throw notFound(`contact of audience ${audienceId}`, contact.email)
      return toContact(stored)
    },
    async import(audienceId, source, options) {
      assertKnownOptions(options, ['dryRun'], 'contacts.import()')
      const { dryRun = false } = options ?? {}
      await assertAudience(audienceId)
      return importContacts({ audienceId, source, dryRun }, deps)
    },
    async list(audienceId, query) {
      await assertAudience(audienceId)
      const page = await listRecords(store, contactCollection, query, {
        pageSize,
        index: 'email',
        prefix: [audienceId],
        cursorIs: 'the email of a contact',
        isCursor: (text) => contactAddressFault(text) === null,
        cursorOf: ({ email }) => email,
        keyOf: emailKey,
      })
      return { ...page, items: page.items.map(toContact) }
    },
    get: async (audienceId, contactId) => toContact(await readContact(audienceId, contactId)),
    unsubscribe: (audienceId, contactId, furtherChanges) =>
      untilCommitted(async () => {
        const contact = await readContact(audienceId, contactId)
        if (!contact.is_subscribed) return
        const ended = withMembers(contact, { is_subscribed: false }, clock.now())
        await store.commit([update(contactCollection, ended), ...(await furtherChanges())])
      }),
    async update(audienceId, contactId, changes) {
      const given = parseInput(contactChangesSchema, changes)
      await readContact(audienceId, contactId)
      const to = (contact: ContactRecord): ContactRecord => withMembers(contact, given, clock.now())
      return toContact(await changeRecord(store, contactCollection, contactId, 'contact', to))
    },
    async remove(audienceId, contactId) {
      await readContact(audienceId, contactId)
      await store.commit([remove(contactCollection, contactId)])
    },
  }
}

function toContact(contact: ContactRecord): Complete<Contact> {
  const { id, first_name, last_name, email, is_subscribed, created, updated } = contact
  return { id, first_name, last_name, email, is_subscribed, created, updated }
}
