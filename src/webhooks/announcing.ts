import { domainCollection, type DomainRecord } from '../domains/domain.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import type { Change, CommitHook, Store, StoredRecord } from '../store/store.ts'
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
 * A hook of the store that announces events of emails and domains to webhooks.
 *
 * The deliveries are written in the same commit as the event, so each event is announced once, in order, and a crash
 * neither loses nor repeats an announcement. The new events of a changed record are found by comparison with the
 * version that it replaces, which costs one read. A commit based on another version is refused anyway. Without a
 * webhook nothing is read. For events without a subscribed webhook nothing is added. Bulk changes, which it does not see,
 * affect only members that no webhook reports.
 */
export function announcing(store: Store, announcer: Announcer): CommitHook {
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

  return (changes) => {
    const written = announcer.isNeeded() ? changes.filter(isAnnounced) : []
    if (written.length === 0) return null
    const isNew = written.every(({ op }) => op === 'insert')
    let replaced: Replaced | null = []
    let announced: ReturnType<typeof announce> = null
    return {
      prepare: isNew ? undefined : async () => void (replaced = await readReplaced(written)),
      add() {
        announced = replaced && announce(written, replaced)
        return announced?.changes ?? []
      },
      committed: () => announced?.committed(),
    }
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
