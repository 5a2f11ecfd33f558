import { LocalpostError } from '../core/errors.ts'
import type { Store, StoreChange } from '../store/store.ts'
import { createPushStream, maxWaitingBytes, type PushStream } from './push-stream.ts'
import type { ServerDeps } from './deps.ts'

/** The stream of `/dev/events`: changes of the store, and events of the server itself. */
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
      const client = createEventClient(store, after, () => clients.delete(client))
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

function createEventClient(
  store: Pick<Store, 'changes'>,
  after: number | undefined,
  onEnd: () => void,
): PushStream {
  let isOver = false
  let stopChanges: () => void = () => undefined
  const client = createPushStream({
    first: firstBytes,
    heartbeat,
    onEnd() {
      isOver = true
      stopChanges()
      onEnd()
    },
  })
  /** The last of many missed changes, too many to send each; the client reads its list again. */
  let skipped: number | null = null
  /** While the store repeats what the client missed. */
  let isRepeating = true
  const bulk = createBulkEvents()
  stopChanges = store.changes(
    (change) => {
      const event = change.op === 'bulk' ? bulk.take(change) : eventOfChange(change, bulk.before)
      if (event === null) return
      if (isRepeating && (skipped !== null || client.waitingBytes() + event.length > maxWaitingBytes / 2)) {
        skipped = change.seq
      } else client.push(event)
    },
    { after },
  )
  isRepeating = false
  const gap = skipped === null ? null : eventOfChange({ op: 'gap', seq: skipped })
  if (gap) client.push(gap)
  if (isOver) stopChanges()
  return client
}

type BulkStoreChange = Extract<StoreChange, { op: 'bulk' }>

/** Combines a bulk change of emails into one event at its end. */
function createBulkEvents(): {
  /** The seq before the first change that is not sent yet; null if there is none. */
  readonly before: number | null
  take(change: BulkStoreChange): Buffer | null
} {
  let before: number | null = null
  let updated = 0
  let deleted = 0
  return {
    get before() {
      return before
    },
    take(change) {
      if (change.collection !== 'emails') return change.isLast ? listChanged(change) : null
      updated += change.updated
      deleted += change.removed
      if (!change.isLast) {
        before ??= change.seq - 1
        return null
      }
      if (before === null) return null
      const event = toEvent('emails.changed', { updated, deleted }, change.seq)
      before = null
      updated = deleted = 0
      return event
    },
  }
}

const emailEvents = { insert: 'email.created', update: 'email.updated', remove: 'email.deleted' } as const

/**
 * @param before  The event id that clients get while a bulk change is running. Default: that of the change. A client that reconnects with it may get later
 *   events twice, but misses nothing.
 */
function eventOfChange(
  change: Exclude<StoreChange, BulkStoreChange>,
  before: number | null = null,
): Buffer | null {
  const seq = before ?? change.seq
  // Changes were missed that are no longer known: clients must read their lists again.
  if (change.op === 'gap') return toEvent('gap', {}, seq)
  if (change.collection === 'emails') return toEvent(emailEvents[change.op], { id: change.id }, seq)
  if (change.collection === 'tag_colors') return toEvent('tags.changed', {}, seq)
  if (change.collection === 'domains') return toEvent('domain.updated', { id: change.id }, seq)
  return listChanged({ ...change, seq })
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

function listChanged({ collection, seq }: { collection: string; seq: number }): Buffer | null {
  return lists.has(collection) ? toEvent('list.changed', { list: collection }, seq) : null
}

function toEvent(name: string, data: unknown, id?: number): Buffer {
  return Buffer.from(
    `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`,
  )
}

/** Tells the live events what happens outside the store: requests, SMTP sessions, bulk changes, and removals that may be undone. */
export function announce(
  { log, smtpSessions, inbox }: Pick<ServerDeps, 'log' | 'smtpSessions' | 'inbox'>,
  live: LiveEvents,
): void {
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
}

/** Ends that for the logs, which may outlive the HTTP interface. */
export function stopAnnouncing({ log, smtpSessions }: Pick<ServerDeps, 'log' | 'smtpSessions'>): void {
  log.onAdded(() => {})
  smtpSessions.onEnded(
    () => {},
    () => false,
  )
}
