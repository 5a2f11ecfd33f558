import type { Clock } from '../core/clock.ts'
import type { Ids } from '../core/ids.ts'
import { insert } from '../store/store.ts'
import type { Announcer } from './announcing.ts'
import type { Deliveries } from './deliveries.ts'
import { isWanted } from './event-types.ts'
import type { Sender } from './sender.ts'
import { webhookDeliveryCollection } from './webhook.ts'

/**
 * Creates one delivery for each event and each subscribed webhook.
 *
 * Pending deliveries are stored as records, so a burst takes little memory. Their number is limited, because a receiver
 * that is down for long must not slow down every email. Beyond the limit, new events are dropped for that webhook. This
 * is reported once, and again only after the backlog has fallen below half of the limit.
 *
 * @param deps.senders  The current webhooks, by id.
 */
export function createAnnouncer(deps: {
  senders: ReadonlyMap<string, Sender>
  log: Pick<Deliveries, 'begin' | 'removeWaiting'>
  ids: Ids
  clock: Clock
  maxWaiting: number
  onWarning(message: string): void
  onError(error: unknown): void
}): Announcer {
  const { senders, log, ids, clock, maxWaiting, onError } = deps
  const overfull = new Set<Sender>()

  function hasRoom(sender: Sender, count: number): boolean {
    if (sender.waiting + count < maxWaiting) {
      if (sender.waiting < maxWaiting / 2) overfull.delete(sender)
      return true
    }
    if (!overfull.has(sender)) {
      overfull.add(sender)
      const { url } = sender.webhook
      deps.onWarning(
        `The webhook ${url} does not keep up: ${maxWaiting} deliveries wait for it, and new events are dropped.`,
      )
    }
    return false
  }

  function tell(sender: Sender, count: number): void {
    const { id } = sender.webhook
    sender.added(count)
    if (senders.has(id)) sender.wake()
    // The webhook was removed during the commit, so its new deliveries have to be removed here.
    else void log.removeWaiting(id).catch(onError)
  }

  return {
    isNeeded: () => senders.size > 0,
    now: () => clock.now(),
    onError,
    announce(payloads) {
      const counts = new Map<Sender, number>()
      const changes = payloads.flatMap((payload) => {
        const wanting = [...senders.values()].filter(
          (sender) =>
            isWanted(payload.type, sender.webhook.events) && hasRoom(sender, counts.get(sender) ?? 0),
        )
        if (wanting.length === 0) return []
        const eventId = ids.next('evt')
        return wanting.map((sender) => {
          counts.set(sender, (counts.get(sender) ?? 0) + 1)
          return insert(webhookDeliveryCollection, log.begin(sender.webhook.id, eventId, payload))
        })
      })
      return { changes, committed: () => counts.forEach((count, sender) => tell(sender, count)) }
    },
  }
}
