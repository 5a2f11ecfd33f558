import { domainCollection, type DomainRecord } from '../domains/domain.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import type { Blob, Change, Store, StoredRecord } from '../store/store.ts'
import { domainPayloads, emailPayloads } from './payloads.ts'
import type { WebhookPayload } from './webhook.ts'

/** Turns events into deliveries. */
export interface Announcer {
  /** Whether there is a webhook at all; asked at every commit. */
  isNeeded(): boolean
  /**
   * The changes that note what has to be sent. They go into the commit that makes the events true.
   *
   * @returns `committed` is to be called when that commit went through.
   */
  announce(payloads: readonly WebhookPayload[]): { changes: readonly Change[]; committed(): void }
  now(): number
  /** Hears of faults; the commit goes on without announcement. */
  onError(error: unknown): void
}

/**
 * The same store, which announces what happens to emails and domains.
 *
 * The deliveries are written by the very commit that writes the event, so each event is announced once, in order, and
 * a crash loses and doubles none. What is new in a changed record is told by the version that it replaces, which costs
 * one read; a commit that was prepared on another version is refused in any case. Without a webhook, and for all that
 * no webhook hears of, nothing is read and nothing is added.
 */
export function announcingStore(store: Store, announcer: Announcer): Store {
  /** The versions that the changes replace; null where they cannot be read. */
  async function readReplaced(changes: readonly Written[]): Promise<Replaced | null> {
    try {
      const records = changes.map(({ op, collection, record }) =>
        op === 'insert' ? Promise.resolve(null) : store.get(collection, record.id),
      )
      return await Promise.all(records)
    } catch (error) {
      announcer.onError(error)
      return null
    }
  }

  function announce(
    changes: readonly Written[],
    replaced: Replaced,
  ): ReturnType<Announcer['announce']> | null {
    try {
      const now = announcer.now()
      const payloads = changes.flatMap((change, i) => toPayloads(change, replaced[i] ?? null, now))
      return payloads.length > 0 ? announcer.announce(payloads) : null
    } catch (error) {
      announcer.onError(error)
      return null
    }
  }

  async function commitAnnounced(
    changes: readonly Change[],
    written: readonly Written[],
    blobs?: readonly Blob[],
  ): Promise<void> {
    // The id of a new record is its place in the list: nothing may come between it and the commit, not even a turn.
    const replaced = written.every(({ op }) => op === 'insert') ? [] : await readReplaced(written)
    const announced = replaced && announce(written, replaced)
    await store.commit(announced ? [...changes, ...announced.changes] : changes, blobs)
    announced?.committed()
  }

  return {
    commit(changes, blobs) {
      const written = announcer.isNeeded() ? changes.filter(isAnnounced) : []
      return written.length === 0 ? store.commit(changes, blobs) : commitAnnounced(changes, written, blobs)
    },
    get: (collection, id) => store.get(collection, id),
    find: (collection, index, key) => store.find(collection, index, key),
    page: (collection, query) => store.page(collection, query),
    count: (collection, query) => store.count(collection, query),
    openBlob: (id, range) => store.openBlob(id, range),
    readBlob: (id) => store.readBlob(id),
    blobSize: (id) => store.blobSize(id),
    createBlob: (id) => store.createBlob(id),
    changes: (listener, after) => store.changes(listener, after),
    close: () => store.close(),
  }
}

type Written = Exclude<Change, { op: 'remove' }>
type Replaced = readonly (StoredRecord | null)[]

function isAnnounced(change: Change): change is Written {
  const { name } = change.collection
  return change.op !== 'remove' && (name === emailCollection.name || name === domainCollection.name)
}

// The collection's name says which record it is; the store's port does not tell the compiler.
function toPayloads(
  { op, collection, record }: Written,
  before: StoredRecord | null,
  now: number,
): WebhookPayload[] {
  // Somebody else was quicker: this commit will be refused.
  if (op === 'update' && before?.version !== record.version) return []
  return collection.name === emailCollection.name
    ? emailPayloads(before as EmailRecord | null, record as EmailRecord)
    : domainPayloads(before as DomainRecord | null, record as DomainRecord, now)
}
