import type { Clock } from '../core/clock.ts'
import type { Ids } from '../core/ids.ts'
import { traceOf } from '../core/trace-context.ts'
import { domainCollection, type DomainRecord } from '../domains/domain.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import { insert, type Change, type CommitHook, type Store, type StoredRecord } from '../store/store.ts'
import type { Deliveries } from './deliveries.ts'
import { isWanted } from './event-types.ts'
import { domainPayloads, emailPayloads } from './payloads.ts'
import type { WebhookSender } from './sender.ts'
import { webhookDeliveryCollection, type WebhookPayload } from './webhook.ts'

interface AnnouncingDeps {
  store: Store
  /** The current webhooks, by id. */
  senders: ReadonlyMap<string, WebhookSender>
  log: Pick<Deliveries, 'begin' | 'removeWaiting'>
  ids: Ids
  clock: Clock
  /** Maximum number of deliveries that wait for one webhook. */
  maxWaiting: number
  wants?: WantsEvent | undefined
  onWarning(message: string): void
  /** Called with errors; the commit then runs without announcement. */
  onError(error: unknown): void
}

/**
 * A hook of the store that announces events of emails and domains to webhooks: it creates one delivery for each event and
 * each subscribed webhook.
 *
 * The deliveries are written in the same commit as the event, so each event is announced once, in order, and a crash
 * neither loses nor repeats an announcement. The new events of a changed record are found by comparison with the
 * version that it replaces, which costs one read. A commit based on another version is refused anyway. Without a
 * webhook nothing is read. Bulk changes, which it does not see, affect only members that no webhook reports.
 *
 * The number of pending deliveries is limited, because a receiver that is down for long must not slow down every email.
 * Beyond the limit, new events are dropped for that webhook. This is reported once, and again only after the backlog has
 * fallen below half of the limit.
 */
export function announcing(deps: AnnouncingDeps): CommitHook {
  const { store, senders, log, ids, clock, wants = () => true, onError } = deps
  const mayAdd = createBacklogLimit(deps)

  function wakeSender(sender: WebhookSender, count: number): void {
    const { id } = sender.webhook
    if (senders.has(id)) sender.added(count)
    // The webhook was removed during the commit, so its new deliveries have to be removed here.
    else void log.removeWaiting(id).catch(onError)
  }

  /** The changes that add deliveries. Adds their number for each webhook to `counts`. */
  function deliveriesOf({ payload, email }: Announced, counts: Map<WebhookSender, number>): Change[] {
    const wanting = [...senders.values()].flatMap((sender) => {
      const { webhook } = sender
      if (webhook.disabled || !isWanted(payload.type, webhook.events)) return []
      const bodies = webhook.shape === undefined ? [undefined] : shapedBodies(sender, payload, email, wants)
      return bodies.flatMap((shaped) => {
        return mayAdd(sender, counts.get(sender) ?? 0) ? { sender, shaped } : []
      })
    })
    if (wanting.length === 0) return []
    const eventId = ids.next('evt')
    const trace = email ? traceOf(email) : undefined
    return wanting.map(({ sender, shaped }) => {
      counts.set(sender, (counts.get(sender) ?? 0) + 1)
      return insert(
        webhookDeliveryCollection,
        log.begin(sender.webhook.id, eventId, payload, { shaped_body: shaped, ...trace }),
      )
    })
  }

  /** The versions that the changes replace; null if they cannot be read. */
  async function readReplaced(changes: readonly Written[]): Promise<Replaced | null> {
    try {
      const records = changes.map(({ op, collection, record }) =>
        op === 'insert' ? Promise.resolve(null) : store.get(collection, record.id),
      )
      return await Promise.all(records)
    } catch (error) {
      onError(error)
      return null
    }
  }

  return (changes) => {
    const written = senders.size > 0 ? changes.filter(isAnnounced) : []
    if (written.length === 0) return null
    const isNew = written.every(({ op }) => op === 'insert')
    let replaced: Replaced | null = []
    let countsAdded: ReadonlyMap<WebhookSender, number> = new Map()
    const prepare = async (): Promise<void> => {
      replaced = await readReplaced(written)
    }
    return {
      prepare: isNew ? undefined : prepare,
      add() {
        const before = replaced
        if (!before) return []
        const counts = new Map<WebhookSender, number>()
        try {
          const now = clock.now()
          const payloads = written.flatMap((change, i) => toPayloads(change, before[i] ?? null, now))
          const added = payloads.flatMap((one) => deliveriesOf(one, counts))
          countsAdded = counts
          return added
        } catch (error) {
          onError(error)
          return []
        }
      },
      committed: () => countsAdded.forEach((count, sender) => wakeSender(sender, count)),
    }
  }
}

/** Whether a webhook may get one more delivery, beside those that the commit adds for it already. */
type MayAdd = (sender: WebhookSender, added: number) => boolean

function createBacklogLimit({ maxWaiting, onWarning }: AnnouncingDeps): MayAdd {
  const overLimit = new Set<WebhookSender>()
  return (sender, added) => {
    if (sender.waiting + added < maxWaiting) {
      if (sender.waiting < maxWaiting / 2) overLimit.delete(sender)
      return true
    }
    if (!overLimit.has(sender)) {
      const { url } = sender.webhook
      const dropped = `${maxWaiting} deliveries wait for it, and new events are dropped`
      onWarning(`The webhook ${url} does not keep up: ${dropped}.`)
    }
    overLimit.add(sender)
    return false
  }
}

/** Whether a webhook in the form of a provider gets an event. Default: yes. @param type  The provider's name of the event. */
export type WantsEvent = (webhookId: string, email: EmailRecord, type: string) => boolean

type Written = Exclude<Change, { op: 'remove' }>
type Replaced = readonly (StoredRecord | null)[]

function isAnnounced(change: Change): change is Written {
  const { name } = change.collection
  return change.op !== 'remove' && (name === emailCollection.name || name === domainCollection.name)
}

// The name of the collection decides the type of the record, which the port of the store does not express.
function toPayloads({ op, collection, record }: Written, old: StoredRecord | null, now: number): Announced[] {
  // Another commit changed the record first, so this commit will be refused.
  if (op === 'update' && old?.version !== record.version) return []
  if (collection.name === emailCollection.name) {
    const email = record as EmailRecord
    return emailPayloads(old as EmailRecord | null, email).map((payload) => ({ payload, email }))
  }
  const payloads = domainPayloads(old as DomainRecord | null, record as DomainRecord, now)
  return payloads.map((payload) => ({ payload, email: null }))
}

/** What is announced, with the email that it is about; null if it is about a domain. */
interface Announced {
  readonly payload: WebhookPayload
  readonly email: EmailRecord | null
}

/** The bodies for a webhook in the form of a provider; none if the webhook does not get this event. */
function shapedBodies(
  { shape, webhook }: Pick<WebhookSender, 'shape' | 'webhook'>,
  { data }: WebhookPayload,
  email: EmailRecord | null,
  wants: WantsEvent,
): string[] {
  if (!shape || !email || !('recipient' in data)) return []
  const shaped = [shape.email({ email, recipient: data.recipient, event: data }, webhook.id) ?? []].flat()
  return shaped.flatMap(({ type, body }) => {
    const isChosen = webhook.shape_events?.includes(type) !== false && wants(webhook.id, email, type)
    return isChosen ? JSON.stringify(body) : []
  })
}
