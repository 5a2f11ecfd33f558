import { LocalpostError } from '../core/errors.ts'
import type { Store, StoreChange } from '../store/store.ts'
import { clearInterval, setImmediate, setInterval } from '../core/machine.ts'

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
  const clients = new Set<Client>()
  let isClosed = false
  return {
    open(after) {
      if (isClosed) throw new LocalpostError('closed', 'This instance is closed; there are no more events.')
      const client = createClient(store, after, () => clients.delete(client))
      clients.add(client)
      return client.stream
    },
    publish(name, data) {
      if (clients.size === 0) return
      const text = toText(name, data())
      for (const client of clients) client.push(text)
    },
    isWatched: () => clients.size > 0,
    close() {
      isClosed = true
      for (const client of clients) client.end()
    },
  }
}

interface Client {
  stream: ReadableStream<Uint8Array>
  push(text: string): void
  end(): void
}

// How much is buffered for a client that does not read. Beyond this it is disconnected, and resumes by its last id.
const maxWaitingChars = 256 * 1024
const heartbeatMs = 15_000

function createClient(store: Pick<Store, 'changes'>, after: number | undefined, onEnd: () => void): Client {
  const encoder = new TextEncoder()
  // The first chunk carries the headers; without it a client waits for the first event to learn that it is connected.
  let waiting = ': connected\nretry: 1000\n\n'
  let isScheduled = false
  let isOver = false
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined

  function flush(): void {
    isScheduled = false
    if (isOver || waiting === '' || !controller || (controller.desiredSize ?? 0) <= 0) return
    // Cleared first, because `enqueue` may call this function again before it returns.
    const text = waiting
    waiting = ''
    controller.enqueue(encoder.encode(text))
  }
  function finish(): boolean {
    if (isOver) return false
    isOver = true
    stopChanges()
    clearInterval(heartbeat)
    onEnd()
    return true
  }
  function push(text: string): void {
    if (isOver) return
    waiting += text
    if (waiting.length > maxWaitingChars) {
      if (finish()) controller?.error(new Error('The client does not read.'))
    } else if (!isScheduled) {
      // One chunk for all events of one turn of the event loop: a burst of mail is not a burst of writes.
      isScheduled = true
      setImmediate(flush)
    }
  }

  const stream = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given
    },
    pull: flush,
    cancel: () => void finish(),
  })
  const heartbeat = setInterval(() => push(': still here\n\n'), heartbeatMs).unref()
  let stopChanges: () => void = () => undefined
  /** The last of many missed changes, too many to send each; the client reads its list again. */
  let skipped: number | null = null
  let isResuming = true
  const bulk = createBulkEvents()
  stopChanges = store.changes((change) => {
    const text = change.op === 'bulk' ? bulk.take(change) : ofChange(change, bulk.before)
    if (text === null) return
    if (isResuming && (skipped !== null || waiting.length + text.length > maxWaitingChars / 2)) {
      skipped = change.seq
    } else push(text)
  }, after)
  isResuming = false
  if (skipped !== null) push(ofChange({ op: 'gap', seq: skipped }, null) ?? '')
  if (isOver) stopChanges()
  return {
    stream,
    push,
    end() {
      if (!finish()) return
      if (waiting !== '') controller?.enqueue(encoder.encode(waiting))
      controller?.close()
    },
  }
}

type BulkStoreChange = Extract<StoreChange, { op: 'bulk' }>

/** Combines a bulk change of emails into one event at its end. */
function createBulkEvents(): {
  /** The seq before the first change that is not sent yet; null if there is none. */
  readonly before: number | null
  take(change: BulkStoreChange): string | null
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
      const text = toText('emails.changed', { updated, deleted }, change.seq)
      before = null
      updated = deleted = 0
      return text
    },
  }
}

const emailEvents = { insert: 'email.created', update: 'email.updated', remove: 'email.deleted' } as const

/**
 * @param before  The event id that clients get while a bulk change is running. A client that reconnects with it may get later
 *   events twice, but misses nothing.
 */
function ofChange(change: Exclude<StoreChange, BulkStoreChange>, before: number | null): string | null {
  const seq = before ?? change.seq
  // Changes were missed that are no longer known: clients must read their lists again.
  if (change.op === 'gap') return toText('gap', {}, seq)
  if (change.collection === 'emails') return toText(emailEvents[change.op], { id: change.id }, seq)
  if (change.collection === 'tag_colors') return toText('tags.changed', {}, seq)
  if (change.collection === 'domains') return toText('domain.updated', { id: change.id }, seq)
  return listChanged({ ...change, seq })
}

/** The lists whose readers read them again when one of their records changes. */
const lists: ReadonlySet<string> = new Set(
  'audiences broadcasts faults rules scheduled suppressions templates webhooks'.split(' '),
)

function listChanged({ collection, seq }: { collection: string; seq: number }): string | null {
  return lists.has(collection) ? toText('list.changed', { list: collection }, seq) : null
}

function toText(name: string, data: unknown, id?: number): string {
  return `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`
}
