import { LocalpostError } from '../core/errors.ts'
import type { Store } from '../store/store.ts'
import { createPushStream, maxWaitingBytes, type PushStream } from './push-stream.ts'
import type { ServerDeps } from './deps.ts'
import { createStoreEvents, gapEvent, toEvent } from './store-events.ts'

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

/**
 * Tells the live events what happens outside the store: requests, SMTP sessions, bulk changes, and removals that may be undone.
 *
 * @returns A function that ends this for the logs, which may outlive the HTTP interface. The inbox does not.
 */
export function announce(
  { log, smtpSessions, inbox }: Pick<ServerDeps, 'log' | 'smtpSessions' | 'inbox'>,
  live: LiveEvents,
): () => void {
  const stopRequests = log.onAdded((request) => {
    live.publish('request.logged', () => {
      const { request_body: _request, response_body: _response, ...rest } = request()
      return rest
    })
  }, live.isWatched)
  const stopSessions = smtpSessions.onEnded(
    (session) => live.publish('smtp.session', session),
    live.isWatched,
  )
  inbox.bulk.onProgress((progress) => live.publish('bulk.progress', () => progress))
  inbox.removals.onChanged((ids, change) => {
    // Mails that come back are not new, so no one is notified of them.
    if (change === 'hidden') for (const id of ids) live.publish('email.deleted', () => ({ id }))
    else live.publish('emails.changed', () => ({ updated: ids.length, deleted: 0 }))
  })
  return () => {
    stopRequests()
    stopSessions()
  }
}
