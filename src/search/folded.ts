import { broadcastCollection } from '../broadcasts/broadcast.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import { eventStatuses } from '../emails/events.ts'
import type { Store } from '../store/store.ts'
import { notAmong } from './query.ts'
import type { WantedRows } from './matching-rows.ts'

/** A page of all mail in which the first email of each broadcast represents all of its emails. */
export interface FoldedPage {
  items: EmailRecord[]
  /** How many items there are on all pages. */
  count: number
  more: boolean
  /** How many emails there are, folded or not. */
  mails: number
  /** The broadcast that an email represents, by its id. Broadcasts with a single email are left out. */
  groups: ReadonlyMap<string, FoldedGroup>
}

/** The stored emails of a broadcast. */
export interface FoldedGroup {
  /** The id of the broadcast. */
  id: string
  emails: number
  unread: number
  /** How many emails have each of {@link eventStatuses} as outcome, in their order. */
  statuses: readonly number[]
}

/**
 * Lists all mail with one item for each broadcast. The emails of a broadcast are looked up in the store each time.
 * Nothing is stored for this list, so it stays correct when emails are removed.
 *
 * @param hidden  Emails to leave out. Those of a broadcast with several emails are counted all the same.
 */
export async function listFolded(
  store: Store,
  { cursor, offset, limit }: WantedRows,
  hidden: ReadonlySet<string>,
): Promise<FoldedPage> {
  const hasBroadcasts = (await store.count(broadcastCollection)) > 0
  const broadcasts = hasBroadcasts ? await store.groups(emailCollection, ofBroadcast) : []
  // A broadcast with a single email is not folded, so it can be hidden.
  const folded = broadcasts.filter(({ count }) => count > 1)
  const shown = broadcasts.filter(({ count, first }) => count > 1 || !hidden.has(first))
  // Those of broadcasts with a single email, and those of no broadcast.
  let hiddenMails = broadcasts.length - shown.length
  // Some of the hidden mails may be removed already.
  for (const id of hidden)
    hiddenMails += await store.count(emailCollection, { prefix: [id], where: { not: inBroadcast } })
  const mails = (await store.count(emailCollection)) - hiddenMails
  const conditions = [
    ...(folded.length > 0 ? [{ not: inBroadcast }] : []),
    ...(hidden.size > 0 ? [notAmong(hidden)] : []),
  ]
  const { records, more } = await store.page(emailCollection, {
    direction: 'desc',
    offset,
    limit,
    ...(cursor !== null && { after: [cursor] }),
    // Without a condition, a page costs the same anywhere in the list.
    ...(conditions.length > 0 && { where: { all: conditions } }),
    ...(folded.length > 0 && { also: shown.map(({ first }) => first) }),
  })
  // A group of the store: the id of its first email, its tag (the id of the broadcast), and the counts that `counted` names.
  const groups = folded.map(({ first, text: id, count: emails, flagged: [unread = 0, ...statuses] }) => {
    return [first, { id, emails, unread, statuses }] as const
  })
  return {
    items: records,
    count: folded.reduce((count, group) => count - (group.count - 1), mails),
    more,
    mails,
    groups: new Map(groups),
  }
}

// Emails have the id of their broadcast, which begins with `bc_`, as a tag. One that lost this tag belongs to none.
const ofBroadcast = { flag: 'broadcast', text: 'tag', prefix: 'bc_', counted: ['unread', ...eventStatuses] }
const inBroadcast = { all: [{ flag: 'broadcast' }, { text: 'tag', begins: 'bc_' }] }
