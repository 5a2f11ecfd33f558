import { cutText } from '../core/text.ts'
import type { Clock } from '../core/clock.ts'
import { clearTimeout, setTimeout } from '../core/machine.ts'
import { type EmailRecord, emailCollection, modifyEmail } from '../emails/email.ts'
import type { EmailEvent } from '../emails/types.ts'
import { isOver, withEvents } from '../emails/events.ts'
import type { Store } from '../store/store.ts'

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

/** The hits of one email that are not stored. */
interface EmailQueue {
  waiting: { recipient: number; event: EmailEvent }[]
  /** Set during the pause after a write of a large record. */
  pause: NodeJS.Timeout | null
  /** The write that will store the waiting hits. */
  next: Promise<boolean> | null
  /** Resolves when all writes so far have ended. */
  last: Promise<unknown>
}

/** @param deps.onError  Called when hits could not be stored after their requests were answered. */
export function createHits(deps: { store: Store; clock: Clock; onError(error: unknown): void }): Hits {
  const { store, clock, onError } = deps
  const queues = new Map<string, EmailQueue>()
  let isClosed = false

  function queueOf(id: string): EmailQueue {
    let queue = queues.get(id)
    if (!queue) queues.set(id, (queue = { waiting: [], pause: null, next: null, last: Promise.resolve() }))
    return queue
  }

  /** Stores the waiting hits after the running write; hits that come until then share it. */
  function write(id: string, queue: EmailQueue): Promise<boolean> {
    if (queue.next) return queue.next
    const next = queue.last.then(async () => {
      queue.next = null
      try {
        return queue.pause ? await isThere(id) : await storeWaiting(id, queue)
      } finally {
        forgetIfDone(id, queue)
      }
    })
    queue.next = next
    queue.last = next.catch(() => {})
    return next
  }

  async function storeWaiting(id: string, queue: EmailQueue): Promise<boolean> {
    const hits = queue.waiting
    queue.waiting = []
    let size = 0
    const email = await modifyEmail(store, id, (stored) => {
      const changed = withHits(stored, hits)
      size = changed ? JSON.stringify(changed.recipients).length : 0
      return changed
    })
    if (size > freeSize && !isClosed) {
      const pauseMs = Math.max(minPauseMs, size / bytesPerMs)
      queue.pause = setTimeout(() => wake(id, queue), pauseMs)
      queue.pause.unref()
    }
    return email !== null
  }

  /** Ends the pause of an email. */
  function wake(id: string, queue: EmailQueue): void {
    if (queue.pause) clearTimeout(queue.pause)
    queue.pause = null
    if (queue.waiting.length > 0) void write(id, queue).catch(onError)
    else forgetIfDone(id, queue)
  }

  function forgetIfDone(id: string, queue: EmailQueue): void {
    if (!queue.pause && !queue.next && queue.waiting.length === 0) queues.delete(id)
  }

  /** Unlike a read of the record, the cost of this does not depend on its size. */
  async function isThere(id: string): Promise<boolean> {
    return (await store.count(emailCollection, { prefix: [id] })) > 0
  }

  async function idle(): Promise<void> {
    while (queues.size > 0) {
      for (const [id, queue] of queues) wake(id, queue)
      await Promise.all(Array.from(queues.values(), ({ last }) => last))
    }
  }

  return {
    async record({ email_id: id, recipient, link }, visitor) {
      const queue = queueOf(id)
      queue.waiting.push({ recipient, event: eventOf(link, visitor, clock.now()) })
      if (queue.pause && queue.waiting.length < maxWaiting) return await isThere(id)
      if (queue.pause) clearTimeout(queue.pause)
      queue.pause = null
      return await write(id, queue)
    },
    idle,
    async close() {
      isClosed = true
      await idle()
    },
  }
}

// A record of up to 16 KB is written at each hit; above, one email writes at most 1 MB each second.
const freeSize = 16 * 1024
const bytesPerMs = 1000
const minPauseMs = 1000
// The maximum number of hits of one email that wait in memory.
const maxWaiting = 500

/** The email with the events of hits; null if there are none to add. */
function withHits(email: EmailRecord, hits: EmailQueue['waiting']): EmailRecord | null {
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
