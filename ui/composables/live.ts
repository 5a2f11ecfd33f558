import { onScopeDispose, ref, type Ref } from 'vue'
import type { BulkProgress } from '../../src/inbox/types.ts'
import type { SmtpSessionSummary } from '../../src/inbox/smtp-session-types.ts'
import type { LoggedRequest } from '../../src/server/types.ts'
import { pathIn } from './api.ts'

/** The state of the live connection; `lost` while the page tries to reconnect. */
export type Connection = 'connecting' | 'live' | 'lost'

/** The changes of mails since the last call, collected so that a burst triggers only one refresh. */
export interface Changes {
  /** Ids of new mails. */
  created: Set<string>
  updated: Set<string>
  deleted: Set<string>
}

/** The callbacks of one part of the page. The subscription ends with the Vue scope. */
export interface Listener {
  /** Called at once for the first few changes, and then at most every 150 ms while more follow. */
  onChanges?: (changes: Changes) => void
  /** Called with the ids of mails after marks that this page made by {@link LiveFeed.mark}; they are no other changes. */
  onMarked?: (ids: ReadonlySet<string>) => void
  /** Called after a change of many mails; the event does not name the mails. */
  onManyChanged?: (changed: { updated: number; deleted: number }) => void
  /** Called several times a second while a change of many mails runs. */
  onBulkProgress?: (progress: BulkProgress) => void
  /** Called after every connect, including the first, because earlier changes may have been missed. */
  onConnected?: () => void
  /** Called with the id of a domain that was created, changed or removed. */
  onDomain?: (id: string) => void
  /** Called after the colour of a tag changed. */
  onTags?: () => void
  /** Called with the name of a list, such as `rules`, when one of its records changed. */
  onList?: (list: string) => void
  /** Called with each request to `/v1`. */
  onRequest?: (request: LoggedRequest) => void
  /** Called with each SMTP session of an app after its end. */
  onSmtpSession?: (session: SmtpSessionSummary) => void
}

/** The page's only connection to `GET /dev/events`. */
export interface LiveFeed {
  connection: Ref<Connection>
  listen(listener: Listener): void
  /**
   * Marks one mail by a request whose result the page shows. The server sends one event for each change of a mail, so one event
   * is left out of `onChanges` for it. Changes of the mail elsewhere have events of their own.
   */
  mark(id: string, request: () => Promise<void>): Promise<void>
  start(): void
  /** Closes the connection. It does not reconnect before the next `start`. */
  stop(): void
}

/**
 * Reads `GET /dev/events` after `start` is called, and reconnects while the page is open.
 *
 * @param account  The account of the events; null: that of the caller.
 * @param onRetry  Called before reconnecting, to find out why the connection was refused.
 */
export function createLive(account: string | null, onRetry: () => void): LiveFeed {
  const connection = ref<Connection>('connecting')
  const listeners = new Set<Listener>()
  let source: EventSource | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  let flush: ReturnType<typeof setTimeout> | undefined
  let waitMs = firstWaitMs
  let changes = noChanges()
  let marked = new Set<string>()
  /** How many events of marks are still to come, by the id of the mail. */
  const expected = new Map<string, number>()
  let deliveredAt = Number.NEGATIVE_INFINITY
  /** How many batches may follow each other at once; refilled by one in each `batchMs`. */
  let spare = mostSpare
  let spareAt = 0

  function listen(listener: Listener): void {
    listeners.add(listener)
    onScopeDispose(() => listeners.delete(listener))
  }

  async function mark(id: string, request: () => Promise<void>): Promise<void> {
    expected.set(id, (expected.get(id) ?? 0) + 1)
    try {
      await request()
    } catch (error) {
      // The mark may have been made without an answer.
      expected.delete(id)
      add('updated', id)
      throw error
    }
  }

  function add(kind: keyof Changes, id: string): void {
    const left = kind === 'updated' ? (expected.get(id) ?? 0) : 0
    if (left > 1) expected.set(id, left - 1)
    else expected.delete(id)
    if (left > 0) marked.add(id)
    else changes[kind].add(id)
    flush ??= setTimeout(deliver, nextBatchMs())
  }

  function stop(): void {
    clearTimeout(retry)
    source?.close()
  }

  function start(): void {
    stop()
    source = new EventSource(pathIn(account, 'dev/events'))
    source.onopen = () => {
      connection.value = 'live'
      waitMs = firstWaitMs
      connected()
    }
    source.onerror = () => {
      connection.value = 'lost'
      // The browser reconnects after a lost connection, but never after an error answer.
      if (source?.readyState === EventSource.CLOSED) again()
    }
    // The server no longer knows what this client missed.
    source.addEventListener('gap', connected)
    for (const kind of ['created', 'updated', 'deleted'] as const) {
      source.addEventListener(`email.${kind}`, (event: MessageEvent<string>) => {
        const id = idOf(event.data)
        if (id !== null) add(kind, id)
      })
    }
    source.addEventListener('emails.changed', (event: MessageEvent<string>) => {
      const changed = parsed(event.data) as { updated: number; deleted: number } | null
      if (changed) for (const { onManyChanged } of listeners) onManyChanged?.(changed)
    })
    source.addEventListener('bulk.progress', (event: MessageEvent<string>) => {
      const progress = parsed(event.data) as BulkProgress | null
      if (progress) for (const { onBulkProgress } of listeners) onBulkProgress?.(progress)
    })
    source.addEventListener('domain.updated', (event: MessageEvent<string>) => {
      const id = idOf(event.data)
      if (id !== null) for (const { onDomain } of listeners) onDomain?.(id)
    })
    source.addEventListener('tags.changed', () => {
      for (const { onTags } of listeners) onTags?.()
    })
    source.addEventListener('list.changed', (event: MessageEvent<string>) => {
      const { list } = (parsed(event.data) ?? {}) as { list?: unknown }
      if (typeof list === 'string') for (const { onList } of listeners) onList?.(list)
    })
    source.addEventListener('request.logged', (event: MessageEvent<string>) => {
      const request = parsed(event.data) as LoggedRequest | null
      if (request) for (const { onRequest } of listeners) onRequest?.(request)
    })
    source.addEventListener('smtp.session', (event: MessageEvent<string>) => {
      const session = parsed(event.data) as SmtpSessionSummary | null
      if (session) for (const { onSmtpSession } of listeners) onSmtpSession?.(session)
    })
  }

  function connected(): void {
    // Their events may have been missed.
    expected.clear()
    for (const { onConnected } of listeners) onConnected?.()
  }

  function again(): void {
    clearTimeout(retry)
    retry = setTimeout(() => {
      onRetry()
      start()
    }, waitMs)
    waitMs = Math.min(waitMs * 2, longestWaitMs)
  }

  /** How long the next batch collects changes. Mails that arrive one by one are shown at once; a flood costs few refreshes. */
  function nextBatchMs(): number {
    const now = performance.now()
    spare = Math.min(mostSpare, spare + (now - spareAt) / batchMs) - 1
    spareAt = now
    return Math.max(0, spare < 0 ? -spare * batchMs : deliveredAt + leastBatchMs - now)
  }

  function deliver(): void {
    flush = undefined
    deliveredAt = performance.now()
    const [batch, marks] = [changes, marked]
    changes = noChanges()
    marked = new Set()
    if (marks.size > 0) for (const { onMarked } of listeners) onMarked?.(marks)
    if (batch.created.size + batch.updated.size + batch.deleted.size === 0) return
    for (const { onChanges } of listeners) onChanges?.(batch)
  }

  onScopeDispose(() => {
    stop()
    clearTimeout(flush)
  })
  return { connection, listen, mark, start, stop }
}

const batchMs = 150
const leastBatchMs = 20
const mostSpare = 8
const firstWaitMs = 1000
const longestWaitMs = 15_000

const noChanges = (): Changes => ({ created: new Set(), updated: new Set(), deleted: new Set() })

function idOf(data: string): string | null {
  const { id } = (parsed(data) ?? {}) as { id?: unknown }
  return typeof id === 'string' ? id : null
}

function parsed(data: string): object | null {
  try {
    const value: unknown = JSON.parse(data)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}
