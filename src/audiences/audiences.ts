import type { Clock } from '../core/clock.ts'
import type { Complete } from '../core/complete.ts'
import type { CreatedBy } from '../domains/types.ts'
import { type Ids, isId } from '../core/ids.ts'
import type { ListPage, ListQuery } from '../core/lists.ts'
import { changeRecord, listRecords, readRecord } from '../store/repository.ts'
import { type Change, type Store, insert, remove } from '../store/store.ts'
import { parseInput } from '../core/validate.ts'
import { type AudienceRecord, audienceCollection, contactCollection } from './audience.ts'
import type { Audience, AudienceInput } from './types.ts'
import type { ImportDeps } from './contact-import.ts'
import { type Contacts, type InnerContacts, createContacts } from './contacts.ts'
import { audienceInputSchema } from './schema.ts'

/** Audiences and their contacts, for `/v1/audiences` and `/dev/audiences`. */
export interface Audiences {
  readonly contacts: Contacts
  /** @throws validation_error */
  create(input: AudienceInput): Promise<Audience>
  /** Newest first. @throws invalid_cursor */
  list(query?: ListQuery): Promise<ListPage<Audience>>
  /** @throws not_found */
  get(id: string): Promise<Audience>
  /** Renames an audience. Only this changes its `updated`; changes of contacts do not. @throws not_found, validation_error */
  update(id: string, input: AudienceInput): Promise<Audience>
  /** Removes the contacts, up to 500 in one commit; the last ones go with the audience. @throws not_found */
  remove(id: string): Promise<void>
}

export function createAudiences(deps: {
  store: Store
  clock: Clock
  ids: Ids
  thread: ImportDeps['thread']
  account: CreatedBy
  pageSize: number
}): Audiences & { readonly contacts: InnerContacts } {
  const { store, clock, ids, thread, account, pageSize } = deps

  // Counted each time and not stored: the indexes of the contacts give both numbers, so they cannot be wrong.
  async function toAudience({ id, name, created, updated }: AudienceRecord): Promise<Complete<Audience>> {
    const [contact_count, unsubscribers] = await Promise.all([
      store.count(contactCollection, { index: 'email', prefix: [id] }),
      store.count(contactCollection, { index: 'subscription', prefix: [id, false] }),
    ])
    return { id, name, created_by: { ...account }, created, updated, contact_count, unsubscribers }
  }

  /** Removes the contacts of an audience, except the last few, which are returned for the caller's own commit. */
  async function removeContacts(audienceId: string): Promise<Change[]> {
    for (;;) {
      const query = { index: 'email', prefix: [audienceId], limit: removalSlice }
      const { records, more } = await store.page(contactCollection, query)
      const removals = records.map(({ id }) => remove(contactCollection, id))
      if (!more) return removals
      await store.commit(removals)
    }
  }

  return {
    contacts: createContacts({ store, clock, ids, thread, pageSize }),
    async create(input) {
      const { name } = parseInput(audienceInputSchema, input)
      const now = clock.now()
      const record = { id: ids.next('aud'), name, created: now, updated: now }
      await store.commit([insert(audienceCollection, record)])
      return toAudience({ ...record, version: 1 })
    },
    async list(query) {
      const page = await listRecords(store, audienceCollection, query, {
        pageSize,
        direction: 'desc',
        cursorIs: 'the id of an audience',
        isCursor: (text) => isId('aud', text),
      })
      return { ...page, items: await Promise.all(page.items.map(toAudience)) }
    },
    get: async (id) => toAudience(await readRecord(store, audienceCollection, id, 'audience')),
    async update(id, input) {
      const { name } = parseInput(audienceInputSchema, input)
      const renamed = await changeRecord(store, audienceCollection, id, 'audience', (audience) => {
        return { ...audience, name, updated: clock.now() }
      })
      return toAudience(renamed)
    },
    async remove(id) {
      await readRecord(store, audienceCollection, id, 'audience')
      // The audience is removed last, so that an interrupted removal can be repeated.
      await store.commit([...(await removeContacts(id)), remove(audienceCollection, id)])
      // Contacts that were added between the read and the removal.
      const late = await removeContacts(id)
      if (late.length > 0) await store.commit(late)
    },
  }
}

// A commit is applied without a pause: this many changes block the event loop for a few milliseconds.
const removalSlice = 500
