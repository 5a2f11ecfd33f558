import { LocalpostError } from '../core/errors.ts'
import type { Store, StoreChange } from '../store/store.ts'
import { createPushStream, maxWaitingBytes, type PushStream } from './push-stream.ts'
import type { ServerDeps } from './deps.ts'

/** The streams of `/dev/events`: changes of the store, and events of the server itself. */
export interface LiveEvents {
  /**
   * Opens a stream for one client. It ends when the client disconnects or does not read, and at `close`.
   *
   * @param after  The last id that the client saw: later events come first, if the store still knows them.
   * @throws closed after `close`.
   */
  open(after?: number): ReadableStream<Uint8Array>
  /** Sends to every client; such events have no id and are not repeated. `data` is called only if there is a client. */
  publish(name: string, data: () => unknown): void
  /** Whether there is a client. */
  isWatched(): boolean
  /** Ends every stream. No new one can be opened. */
  close(): void
}

/** @see https://html.spec.whatwg.org/multipage/server-sent-events.html */
export function createLiveEvents(store: Pick<Store, 'changes'>): LiveEvents {
  const clients = new Set<PushStream>()
  let isClosed = false
  return {
    open(after) {
      if (isClosed) throw new LocalpostError('closed', 'This instance is closed; there are no more events.')
      const client = openClient(store, after, () => clients.delete(client))
      clients.add(client)
      return client.stream
    },
    publish(name, data) {
      if (clients.size === 0) return
      const event = toEvent(name, data())
      for (const client of clients) client.push(event)
    },
    isWatched: () => clients.size > 0,
    close() {
      isClosed = true
      for (const client of clients) client.end()
    },
  }
}

/** `: connected` is a comment. */
const firstBytes = Buffer.from(': connected\nretry: 1000\n\n')
const heartbeat = Buffer.from(': still here\n\n')

/** Opens the stream of one client, which follows the store until it ends. */
function openClient(store: Pick<Store, 'changes'>, after: number | undefined, onEnd: () => void): PushStream {
  let stopFollowing: () => void = () => undefined
  const client = createPushStream({
    first: firstBytes,
    heartbeat,
    onEnd() {
      stopFollowing()
      onEnd()
    },
  })
  const eventOf = createStoreEvents()
  /** While the store repeats what the client missed, which it does before `changes` returns. */
  let isRepeating = true
  /** The seq of the last missed change that is not sent, because there are too many. */
  let lastSkipped: number | null = null
  stopFollowing = store.changes(
    (change) => {
      const event = eventOf(change)
      if (event === null) return
      const isTooMuch = lastSkipped !== null || client.waitingBytes() + event.length > maxWaitingBytes / 2
      if (isRepeating && isTooMuch) lastSkipped = change.seq
      else client.push(event)
    },
    { after },
  )
  isRepeating = false
  if (lastSkipped !== null) client.push(gapEvent(lastSkipped))
  return client
}

/** Makes a function that writes changes of the store as events: null for those that clients are not told. */
function createStoreEvents(): (change: StoreChange) => Buffer | null {
  /** The bulk change of emails that is under way: one event at its end tells of all of it. */
  let bulk: { readonly seqBefore: number; updated: number; deleted: number } | null = null
  return (change) => {
    // A client that reconnects after the event may get later events twice, but misses nothing of the bulk change.
    if (change.op !== 'bulk') return toStoreEvent(change, bulk?.seqBefore ?? change.seq)
    if (change.collection !== 'emails')
      return change.isLast ? listChanged(change.collection, change.seq) : null
    if (!change.isLast) {
      bulk ??= { seqBefore: change.seq - 1, updated: 0, deleted: 0 }
      bulk.updated += change.updated
      bulk.deleted += change.removed
      return null
    }
    if (bulk === null) return null
    const { updated, deleted } = bulk
    bulk = null
    return toEvent('emails.changed', { updated, deleted }, change.seq)
  }
}

const emailEvents = { insert: 'email.created', update: 'email.updated', remove: 'email.deleted' } as const

/** @param id  Of the event. */
function toStoreEvent(change: Exclude<StoreChange, { op: 'bulk' }>, id: number): Buffer | null {
  if (change.op === 'gap') return gapEvent(id)
  if (change.collection === 'emails') return toEvent(emailEvents[change.op], { id: change.id }, id)
  if (change.collection === 'tag_colors') return toEvent('tags.changed', {}, id)
  if (change.collection === 'domains') return toEvent('domain.updated', { id: change.id }, id)
  return listChanged(change.collection, id)
}

/** Changes were missed that are not sent: clients must read their lists again. */
function gapEvent(id: number): Buffer {
  return toEvent('gap', {}, id)
}

/** The lists whose readers read them again when one of their records changes. */
const lists: ReadonlySet<string> = new Set([
  'audiences',
  'broadcasts',
  'faults',
  'rules',
  'scheduled',
  'suppressions',
  'templates',
  'webhooks',
])

function listChanged(collection: string, id: number): Buffer | null {
  return lists.has(collection) ? toEvent('list.changed', { list: collection }, id) : null
}

function toEvent(name: string, data: unknown, id?: number): Buffer {
  return Buffer.from(
    `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`,
  )
}

/**
 * Tells the live events what happens outside the store: requests, SMTP sessions, bulk changes, and removals that may be undone.
 *
 * @returns A function that ends this for the logs, which may outlive the HTTP interface. The inbox does not.
 */
export function announce(
  { log, smtpSessions, inbox }: Pick<ServerDeps, 'log' | 'smtpSessions' | 'inbox'>,
  live: LiveEvents,
): () => void {
  log.onAdded((request) => {
    live.publish('request.logged', () => {
      const { request_body: _request, response_body: _response, ...rest } = request()
      return rest
    })
  }, live.isWatched)
  smtpSessions.onEnded((session) => live.publish('smtp.session', session), live.isWatched)
  inbox.bulk.onProgress((progress) => live.publish('bulk.progress', () => progress))
  inbox.removals.onChanged((ids, change) => {
    // Mails that come back are not new, so no one is notified of them.
    if (change === 'hidden') for (const id of ids) live.publish('email.deleted', () => ({ id }))
    else live.publish('emails.changed', () => ({ updated: ids.length, deleted: 0 }))
  })
  return () => {
    log.onAdded(() => {})
    smtpSessions.onEnded(
      () => {},
      () => false,
    )
  }
}
