import type { Clock } from '../core/clock.ts'
import type { Ids } from '../core/ids.ts'
import { insert } from '../store/store.ts'
import type { Announcer } from './announcing-store.ts'
import type { Deliveries } from './deliveries.ts'
import { isWanted } from './event-types.ts'
import type { Sender } from './sender.ts'
import { webhookDeliveryCollection } from './webhook.ts'

/**
 * Makes one delivery per event and subscribed webhook.
 *
 * Pending deliveries are stored, so a burst costs no more memory than its deliveries as records. Their number is
 * limited: a receiver that is down for long must not slow down every email. Beyond the limit events are dropped for
 * that webhook, which is reported once, until half of the backlog is delivered.
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
        `The webhook ${url} does not keep up: ${maxWaiting} deliveries wait for it, and what comes now is dropped.`,
      )
    }
    return false
  }

  function tell(sender: Sender, count: number): void {
    const { id } = sender.webhook
    sender.added(count)
    if (senders.has(id)) sender.wake()
    // The webhook was removed during the commit, and nothing else would remove these.
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
