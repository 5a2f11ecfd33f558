import type { StoreChange } from '../store/store.ts'

/** Makes a function that writes changes of the store as events: null for those that clients are not told. */
export function createStoreEvents(): (change: StoreChange) => Buffer | null {
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
export function gapEvent(id: number): Buffer {
  return toEvent('gap', {}, id)
}

/** The lists whose readers read them again when one of their records changes: collections, and the names in the events. */
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

/** The text of an event. @see https://html.spec.whatwg.org/multipage/server-sent-events.html */
export function toEvent(name: string, data: unknown, id?: number): Buffer {
  return Buffer.from(
    `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`,
  )
}
