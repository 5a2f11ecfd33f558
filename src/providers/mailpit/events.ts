import { LocalpostError } from '../../core/errors.ts'
import { createPushStream, type PushStream } from '../../server/push-stream.ts'
import type { Route } from '../../server/route.ts'
import { pingFrame, textFrame } from '../../server/websocket-frames.ts'
import type { ProviderParts } from '../provider.ts'
import { createChangeMessages } from './change-messages.ts'
import { defineMailpitRoutes } from './define-routes.ts'

const { get } = defineMailpitRoutes('Application')

/** `/api/events`. */
export function eventRoutes(parts: Pick<ProviderParts, 'store' | 'inbox'>): Route[] {
  const open = createEvents(parts)
  return [
    get('/api/events', {
      summary: 'A websocket of what changes: `new`, `update`, `delete`, `truncate`, `prune` and `stats`',
      success: {
        status: 101,
        description: 'Each message is a JSON object with the members `Type` and `Data`',
      },
      errors: ['service_unavailable'],
      handler: () => open(),
    }),
  ]
}

/** @returns A function that opens the frames of a websocket for one more client. All clients of an account get the same. */
function createEvents(parts: Pick<ProviderParts, 'store' | 'inbox'>): () => ReadableStream<Uint8Array> {
  const { store, inbox } = parts
  const clients = new Set<PushStream>()
  let stopChanges: (() => void) | null = null
  const messages = createChangeMessages(inbox, {
    isWatched: () => clients.size > 0,
    send(message) {
      const frame = textFrame(JSON.stringify(message))
      for (const client of clients) client.push(frame)
    },
  })
  return () => {
    if (clients.size >= maxClients) {
      const message = `${maxClients} websockets are open, which is the limit. Close one first.`
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
        messages.clear()
      },
    })
    clients.add(client)
    stopChanges ??= store.changes(messages.add)
    messages.sendStats()
    return client.stream
  }
}

/** How many websockets an account has. */
const maxClients = 100
