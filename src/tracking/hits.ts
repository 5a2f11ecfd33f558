import { cutText } from '../core/text.ts'
import type { Clock } from '../core/clock.ts'
import { type EmailRecord, emailCollection, modifyEmail } from '../emails/email.ts'
import type { EmailEvent } from '../emails/types.ts'
import { isOver, withEvents } from '../emails/events.ts'
import type { Store } from '../store/store.ts'
import { HitQueue } from './hit-queue.ts'

/** The client that loaded an image or followed a link. */
export interface Visitor {
  ip: string
  user_agent: string
}

/** One hit, described by its token. */
export interface Hit {
  email_id: string
  /** Index of the recipient whose copy it was. */
  recipient: number
  /** The link that was followed; absent for an opening. */
  link?: string
}

/** Adds the events of hits to emails. */
export interface Hits {
  /**
   * Adds the event of a hit to its recipient. Ten concurrent hits are ten events, written together.
   *
   * Resolves when the event is stored. An event is written with the whole record of its email. If that is large, the
   * next write waits in proportion, and hits in the meantime resolve before they are stored.
   *
   * There is no event for an unknown recipient, after a permanent bounce or a failure (the mail was not delivered), and
   * beyond 500 events of one recipient, which limits the size of the record.
   *
   * @returns Whether the email still exists.
   */
  record(hit: Hit, visitor: Visitor): Promise<boolean>
  /** Stores the waiting hits, and resolves when they are stored. */
  idle(): Promise<void>
  /** Stores the waiting hits; call it before the store is closed. */
  close(): Promise<void>
}

/** A hit that is not stored. */
interface WaitingHit {
  readonly recipient: number
  readonly event: EmailEvent
}

/** @param deps.onError  Called when hits could not be stored after their requests were answered. */
export function createHits(deps: { store: Store; clock: Clock; onError(error: unknown): void }): Hits {
  const { store, clock, onError } = deps
  const queues = new Map<string, HitQueue<WaitingHit>>()
  let isClosed = false

  function queueOf(id: string): HitQueue<WaitingHit> {
    const known = queues.get(id)
    if (known) return known
    const queue = new HitQueue<WaitingHit>({
      store: (hits) => storeHits(store, id, hits),
      emailExists: async () => (await store.count(emailCollection, { prefix: [id] })) > 0,
      onEmpty: () => {
        // It may be empty again after it was forgotten and another one took its place.
        if (queues.get(id) === queue) queues.delete(id)
      },
      mayPause: () => !isClosed,
      onError,
    })
    queues.set(id, queue)
    return queue
  }

  async function idle(): Promise<void> {
    while (queues.size > 0) await Promise.all(Array.from(queues.values(), (queue) => queue.flush()))
  }

  return {
    record: ({ email_id, recipient, link }, visitor) =>
      queueOf(email_id).add({ recipient, event: eventOf(link, visitor, clock.now()) }),
    idle,
    close() {
      isClosed = true
      return idle()
    },
  }
}

/** @returns About the size of what was written, in characters, 0 if nothing was; null if the email is gone. */
async function storeHits(store: Store, id: string, hits: readonly WaitingHit[]): Promise<number | null> {
  let size = 0
  const email = await modifyEmail(store, id, (stored) => {
    const changed = withHits(stored, hits)
    size = changed ? JSON.stringify(changed.recipients).length : 0
    return changed
  })
  return email === null ? null : size
}

/** The email with the events of hits; null if there are none to add. */
function withHits(email: EmailRecord, hits: readonly WaitingHit[]): EmailRecord | null {
  const added = new Map<string, EmailEvent[]>()
  for (const { recipient, event } of hits) {
    const state = email.recipients[recipient]
    if (!state || isOver(state.events)) continue
    const events = added.get(state.recipient) ?? []
    if (state.events.length + events.length >= maxEvents) continue
    events.push(event)
    added.set(state.recipient, events)
  }
  return added.size > 0 ? withEvents(email, added) : null
}

const maxEvents = 500
const maxUserAgentLength = 512

function eventOf(link: string | undefined, { ip, user_agent }: Visitor, timestamp: number): EmailEvent {
  const cleaned = cutText(user_agent.replace(/[\x00-\x1f\x7f-\x9f]/g, ''), maxUserAgentLength)
  const by = { timestamp, ip, user_agent: cleaned }
  return link === undefined ? { status: 'opened', ...by } : { status: 'clicked', ...by, link }
}
