import { isErrorOf, LocalpostError } from '../../core/errors.ts'
import { setTimeout } from '../../core/machine.ts'
import { version } from '../../core/version.ts'
import { emailCollection } from '../../emails/email.ts'
import type { InboxPages } from '../../inbox/methods.ts'
import { createPushStream, type PushStream } from '../../server/push-stream.ts'
import type { Route } from '../../server/route.ts'
import { pingFrame, textFrame } from '../../server/websocket-frames.ts'
import type { StoreChange } from '../../store/store.ts'
import type { ProviderParts } from '../provider.ts'
import { toListed } from './answers.ts'
import { defineMailpitRoutes } from './define-routes.ts'
import type { Summary } from './schema.ts'

const { get } = defineMailpitRoutes('Application')

/** `/api/events`. */
export function eventRoutes({ store, inbox }: Pick<ProviderParts, 'store' | 'inbox'>): Route[] {
  const events = createEvents(store, inbox)
  return [
    get('/api/events', {
      summary: 'A websocket of what changes: `new`, `update`, `delete`, `truncate`, `prune` and `stats`',
      success: {
        status: 101,
        description: 'Each message is a JSON object with the members `Type` and `Data`',
      },
      errors: ['service_unavailable'],
      handler: () => events.open(),
    }),
  ]
}

/** A message of the websocket. */
type Message =
  | { readonly Type: 'new'; readonly Data: Summary }
  | { readonly Type: 'update'; readonly Data: Pick<Summary, 'ID' | 'Read' | 'Tags'> }
  | { readonly Type: 'delete'; readonly Data: Pick<Summary, 'ID'> }
  /** All messages were deleted. */
  | { readonly Type: 'truncate'; readonly Data: null }
  /** So much changed that clients have to read their lists again. */
  | { readonly Type: 'prune'; readonly Data: null }
  | { readonly Type: 'stats'; readonly Data: { Total: number; Unread: number; Version: string } }

/** The changes of an inbox as frames of a websocket, for all clients of an account. */
function createEvents(
  store: ProviderParts['store'],
  inbox: Pick<InboxPages, 'entry' | 'overview'>,
): { open(): ReadableStream<Uint8Array> } {
  const clients = new Set<PushStream>()
  let stopChanges: (() => void) | null = null
  let waiting: StoreChange[] = []
  let isTelling = false
  let isCounting = false

  function send(message: Message): void {
    const frame = textFrame(JSON.stringify(message))
    for (const client of clients) client.push(frame)
  }

  /** As in Mailpit, the numbers follow the changes, at most four times a second. */
  function count(): void {
    if (isCounting) return
    isCounting = true
    setTimeout(() => {
      isCounting = false
      if (clients.size > 0) sendStats().catch(() => undefined)
    }, statsMs).unref()
  }

  async function sendStats(): Promise<void> {
    const { total, unread } = await inbox.overview()
    send({ Type: 'stats', Data: { Total: total, Unread: unread, Version: `localpost ${version}` } })
  }

  function add(change: StoreChange): void {
    if (change.op !== 'gap' && change.collection !== emailCollection.name) return
    // Each message needs a read, so a flood would be told long after it ended.
    if (waiting.length >= mostChanges) waiting = [{ op: 'gap', seq: change.seq }]
    else waiting.push(change)
    if (!isTelling) tell().catch(() => send(prune))
  }

  async function tell(): Promise<void> {
    isTelling = true
    try {
      while (waiting.length > 0) {
        const changes = waiting
        waiting = []
        for (const change of changes) await tellOne(change)
        const isLess = changes.some(({ op }) => op !== 'insert' && op !== 'update')
        if (isLess && (await inbox.overview()).total === 0) send({ Type: 'truncate', Data: null })
        count()
      }
    } finally {
      isTelling = false
    }
  }

  async function tellOne(change: StoreChange): Promise<void> {
    if (change.op === 'gap') return send(prune)
    if (change.op === 'bulk') return change.isLast ? send(prune) : undefined
    if (change.op === 'remove') return send({ Type: 'delete', Data: { ID: change.id } })
    try {
      const listed = toListed(await inbox.entry(change.id))
      const { ID, Read, Tags } = listed
      if (change.op === 'insert') send({ Type: 'new', Data: listed })
      else send({ Type: 'update', Data: { ID, Read, Tags } })
    } catch (error) {
      // It was removed meanwhile, which is the next change.
      if (!isErrorOf(error, 'not_found')) throw error
    }
  }

  return {
    open() {
      if (clients.size >= mostClients) {
        const message = `${mostClients} websockets are open, which is the limit. Close one first.`
        throw new LocalpostError('service_unavailable', message)
      }
      const client = createPushStream({
        first: pingFrame,
        heartbeat: pingFrame,
        onEnd() {
          clients.delete(client)
          if (clients.size > 0) return
          stopChanges?.()
          stopChanges = null
          waiting = []
        },
      })
      clients.add(client)
      stopChanges ??= store.changes(add)
      count()
      return client.stream
    },
  }
}

const prune: Message = { Type: 'prune', Data: null }
const statsMs = 250
const mostChanges = 1000
/** How many websockets an account has. */
const mostClients = 100
