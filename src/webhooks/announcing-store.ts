import { domainCollection, type DomainRecord } from '../domains/domain.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import type { Blob, Change, Store, StoredRecord } from '../store/store.ts'
import { domainPayloads, emailPayloads } from './payloads.ts'
import type { WebhookPayload } from './webhook.ts'

/** Creates the deliveries of events. */
export interface Announcer {
  /** Whether there is any webhook; called at every commit. */
  isNeeded(): boolean
  /**
   * The changes that add deliveries. They go into the commit that contains the events.
   *
   * @returns Call `committed` when that commit succeeded.
   */
  announce(payloads: readonly WebhookPayload[]): { changes: readonly Change[]; committed(): void }
  now(): number
  /** Called with errors; the commit then runs without announcement. */
  onError(error: unknown): void
}

/**
 * Wraps a store so that events of emails and domains are announced to webhooks.
 *
 * The deliveries are written in the same commit as the event, so each event is announced once, in order, and a crash
 * neither loses nor repeats an announcement. The new events of a changed record are found by comparison with the
 * version that it replaces, which costs one read. A commit based on another version is refused anyway. Without a
 * webhook nothing is read. For events without a subscribed webhook nothing is added.
 */
export function announcingStore(store: Store, announcer: Announcer): Store {
  /** The versions that the changes replace; null if they cannot be read. */
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
    // The id of a new record defines its place in the list, so nothing may be awaited between it and the commit.
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
    refusal: () => store.refusal(),
    lowDisk: () => store.lowDisk(),
    // Bulk changes affect only members that no webhook reports.
    bulk: (collection, ids, change, options) => store.bulk(collection, ids, change, options),
    ids: (collection, query) => store.ids(collection, query),
    get: (collection, id) => store.get(collection, id),
    find: (collection, index, key) => store.find(collection, index, key),
    page: (collection, query) => store.page(collection, query),
    tally: (collection, text) => store.tally(collection, text),
    groups: (collection, query) => store.groups(collection, query),
    count: (collection, query) => store.count(collection, query),
    openBlob: (id, range) => store.openBlob(id, range),
    readBlob: (id) => store.readBlob(id),
    blobSize: (id) => store.blobSize(id),
    blobNames: (collection, id) => store.blobNames(collection, id),
    createBlob: (id) => store.createBlob(id),
    changes: (listener, after) => store.changes(listener, after),
    texts: store.texts,
    isShared: store.isShared,
    caughtUp: () => store.caughtUp(),
    leadership: store.leadership,
    close: () => store.close(),
  }
}

type Written = Exclude<Change, { op: 'remove' }>
type Replaced = readonly (StoredRecord | null)[]

function isAnnounced(change: Change): change is Written {
  const { name } = change.collection
  return change.op !== 'remove' && (name === emailCollection.name || name === domainCollection.name)
}

// The name of the collection decides the type of the record, which the port of the store does not express.
function toPayloads(
  { op, collection, record }: Written,
  before: StoredRecord | null,
  now: number,
): WebhookPayload[] {
  // Another commit changed the record first, so this commit will be refused.
  if (op === 'update' && before?.version !== record.version) return []
  return collection.name === emailCollection.name
    ? emailPayloads(before as EmailRecord | null, record as EmailRecord)
    : domainPayloads(before as DomainRecord | null, record as DomainRecord, now)
}
