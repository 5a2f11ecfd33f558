import type { Clock } from '../core/clock.ts'
import type { Complete } from '../core/complete.ts'
import type { Ids } from '../core/ids.ts'
import { heavyBytes, type JobThread } from '../core/job-thread.ts'
import { LongBody } from '../core/json-body.ts'
import { assertKnownOptions } from '../core/known-options.ts'
import type { ListPage, ListQuery } from '../core/lists.ts'
import { changeRecord, listRecords, notFound, readRecord, untilCommitted } from '../store/repository.ts'
import { type Change, type Store, insert, remove, update } from '../store/store.ts'
import { parseInput } from '../core/validate.ts'
import { addressFault, emailKey } from './addresses.ts'
import { type ContactRecord, audienceCollection, contactCollection } from './audience.ts'
import type { Contact, ContactChanges, ContactInput, ImportResult } from './types.ts'
import { maxRejected, readContactRows, type ContactRow } from './contact-rows.ts'
import type { contactJobs } from './jobs.ts'
import { contactChangesSchema, contactInputSchema } from './schema.ts'
import { nextTurn } from '../core/machine.ts'

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

/** The same, and what links in mails need. */
export interface InnerContacts extends Contacts {
  /** The same for the body of a request too, which is CSV text or JSON. */
  import(
    audienceId: string,
    source: Parameters<Contacts['import']>[1] | LongBody,
    options?: Parameters<Contacts['import']>[2],
  ): Promise<ImportResult>
  /**
   * Ends a subscription. If it has ended already, nothing changes.
   *
   * @param along  Returns further changes for the same commit. It may be called more than once.
   * @throws not_found
   */
  unsubscribe(audienceId: string, contactId: string, along: () => Promise<Change[]>): Promise<void>
}

export function createContacts(deps: {
  store: Store
  clock: Clock
  ids: Ids
  /** Where the rows of long imports are read. */
  thread: JobThread<typeof contactJobs>
  pageSize: number
}): InnerContacts {
  const { store, clock, ids, thread, pageSize } = deps

  async function* rowsInThread(body: LongBody): AsyncGenerator<ContactRow> {
    const bytes = body.take()
    if (bytes.length > heavyBytes) await thread.rest()
    for (const slice of await thread.run('contactRows', [bytes, body.isText]))
      yield* JSON.parse(Buffer.from(slice).toString()) as ContactRow[]
  }

  const assertAudience = async (audienceId: string): Promise<void> => {
    await readRecord(store, audienceCollection, audienceId, 'audience')
  }
  const readContact = async (audienceId: string, contactId: string): Promise<ContactRecord> => {
    await assertAudience(audienceId)
    const contact = await store.get(contactCollection, contactId)
    if (contact?.audience_id !== audienceId) throw notFound(`contact of audience ${audienceId}`, contactId)
    return contact
  }

  /** Stores some contacts in one commit; on a conflict it reads them and tries again. */
  async function save(audienceId: string, inputs: readonly ContactInput[]): Promise<Saved> {
    const saved = await untilCommitted(async () => {
      const merged = await merge(audienceId, inputs)
      if (merged.changes.length > 0) await store.commit(merged.changes)
      return merged
    })
    await takeBackFromNowhere(audienceId, saved)
    return saved
  }

  /** The counts that `save` would return. Adds the keys of new contacts to `foreseen`. */
  async function foresee(
    audienceId: string,
    inputs: readonly ContactInput[],
    foreseen: Set<string>,
  ): Promise<Pick<Saved, 'created' | 'updated'>> {
    const before = foreseen.size
    for (const key of new Set(inputs.map(({ email }) => emailKey(email)))) {
      if (!foreseen.has(key) && !(await store.find(contactCollection, 'email', [audienceId, key])))
        foreseen.add(key)
    }
    const created = foreseen.size - before
    return { created, updated: inputs.length - created }
  }

  async function merge(audienceId: string, inputs: readonly ContactInput[]): Promise<Saved> {
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
  async function takeBackFromNowhere(audienceId: string, saved: Saved): Promise<void> {
    if (await store.get(audienceCollection, audienceId)) return
    await store.commit(saved.contacts.map(({ id }) => remove(contactCollection, id)))
    throw notFound('audience', audienceId)
  }

  return {
    async add(audienceId, input) {
      const contact = parseInput(contactInputSchema, input)
      await assertAudience(audienceId)
      await save(audienceId, [contact])
      const stored = await store.find(contactCollection, 'email', [audienceId, emailKey(contact.email)])
      if (!stored) throw notFound(`contact of audience ${audienceId}`, contact.email)
      return toContact(stored)
    },
    async import(audienceId, source, options) {
      assertKnownOptions(options, ['dryRun'], 'contacts.import()')
      const { dryRun = false } = options ?? {}
      await assertAudience(audienceId)
      const result: ImportResult = { created: 0, updated: 0, rejected: [] }
      let waiting: ContactInput[] = []
      // A dry run stores nothing, so a later batch would not find the contacts of an earlier one.
      const foreseen = new Set<string>()
      const flush = async (): Promise<void> => {
        const { created, updated } = dryRun
          ? await foresee(audienceId, waiting, foreseen)
          : await save(audienceId, waiting)
        result.created += created
        result.updated += updated
        waiting = []
      }
      let rows = 0
      let unnamed = 0
      let unnamedFrom = 0
      for await (const row of source instanceof LongBody ? rowsInThread(source) : readContactRows(source)) {
        if ('contact' in row) waiting.push(row.contact)
        else if (result.rejected.length < maxRejected) result.rejected.push(row)
        else if (unnamed++ === 0) unnamedFrom = row.line
        if (waiting.length === importBatch) await flush()
        // Invalid rows take time too.
        if (++rows % importBatch === 0) await nextTurn()
      }
      if (waiting.length > 0) await flush()
      result.rejected.sort((a, b) => a.line - b.line)
      if (unnamed > 0) result.rejected.push({ line: unnamedFrom, message: `and ${unnamed} more rows` })
      return result
    },
    async list(audienceId, query) {
      await assertAudience(audienceId)
      const page = await listRecords(store, contactCollection, query, {
        pageSize,
        index: 'email',
        prefix: [audienceId],
        cursorIs: 'the email of a contact',
        isCursor: (text) => addressFault(text) === null,
        cursorOf: ({ email }) => email,
        keyOf: emailKey,
      })
      return { ...page, items: page.items.map(toContact) }
    },
    get: async (audienceId, contactId) => toContact(await readContact(audienceId, contactId)),
    unsubscribe: (audienceId, contactId, along) =>
      untilCommitted(async () => {
        const contact = await readContact(audienceId, contactId)
        if (!contact.is_subscribed) return
        const ended = withMembers(contact, { is_subscribed: false }, clock.now())
        await store.commit([update(contactCollection, ended), ...(await along())])
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

// Large, because a commit has its own cost; small enough to block the event loop for only a few milliseconds.
const importBatch = 250

interface Saved {
  created: number
  updated: number
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
function withMembers(contact: ContactRecord, given: Partial<ContactInput>, now: number): ContactRecord {
  const { email, first_name, last_name, is_subscribed } = contact
  const members = { email, first_name, last_name, is_subscribed, ...definedOf(given) }
  const same = members.email === email && members.first_name === first_name && members.last_name === last_name
  if (same && members.is_subscribed === is_subscribed) return contact
  return { ...contact, ...members, updated: now }
}

function definedOf(given: Partial<ContactInput>): Partial<ContactInput> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function toContact(contact: ContactRecord): Complete<Contact> {
  const { id, first_name, last_name, email, is_subscribed, created, updated } = contact
  return { id, first_name, last_name, email, is_subscribed, created, updated }
}
