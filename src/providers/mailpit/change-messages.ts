import { isErrorOf } from '../../core/errors.ts'
import { setTimeout } from '../../core/machine.ts'
import { version } from '../../core/version.ts'
import { emailCollection } from '../../emails/email.ts'
import type { InboxPages } from '../../inbox/methods.ts'
import type { StoreChange } from '../../store/store.ts'
import { toListed } from './answers.ts'
import type { Summary } from './schema.ts'

/** A message of the websocket. */
type ChangeMessage =
  | { readonly Type: 'new'; readonly Data: Summary }
  | { readonly Type: 'update'; readonly Data: Pick<Summary, 'ID' | 'Read' | 'Tags'> }
  | { readonly Type: 'delete'; readonly Data: Pick<Summary, 'ID'> }
  /** All messages were deleted. */
  | { readonly Type: 'truncate'; readonly Data: null }
  /** So much changed that clients have to read their lists again. */
  | { readonly Type: 'prune'; readonly Data: null }
  | { readonly Type: 'stats'; readonly Data: { Total: number; Unread: number; Version: string } }

/** Makes messages of the changes of an inbox, one change after the other. */
export interface ChangeMessages {
  add(change: StoreChange): void
  /** Sends the numbers soon. As in Mailpit, they also follow the changes, at most four times a second. */
  sendStats(): void
  /** Drops the changes that wait. */
  clear(): void
}

/** @param clients.send  Sends a message to all of them. */
export function createChangeMessages(
  inbox: Pick<InboxPages, 'entry' | 'overview'>,
  { send, isWatched }: { send(message: ChangeMessage): void; isWatched(): boolean },
): ChangeMessages {
  /** The changes that no message was sent of yet. */
  let waiting: StoreChange[] = []
  /** Whether they are being sent, one after the other; what is added meanwhile follows. */
  let isSending = false
  /** Whether a timer for the numbers runs. */
  let isTimerRunning = false

  function sendStats(): void {
    if (isTimerRunning) return
    isTimerRunning = true
    setTimeout(() => {
      isTimerRunning = false
      if (isWatched()) statsOf(inbox).then(send, () => undefined)
    }, statsMs).unref()
  }

  async function sendWaiting(): Promise<void> {
    isSending = true
    try {
      while (waiting.length > 0) {
        const changes = waiting
        waiting = []
        for (const change of changes) {
          const message = await changeMessageOf(change, inbox)
          if (message) send(message)
        }
        const mayBeEmpty = changes.some(({ op }) => op !== 'insert' && op !== 'update')
        if (mayBeEmpty && (await inbox.overview()).total === 0) send({ Type: 'truncate', Data: null })
        sendStats()
      }
    } finally {
      isSending = false
    }
  }

  return {
    add(change) {
      if (change.op !== 'gap' && change.collection !== emailCollection.name) return
      // Each message needs a read, so a flood would be told long after it ended.
      if (waiting.length >= maxWaiting) waiting = [{ op: 'gap', seq: change.seq }]
      else waiting.push(change)
      if (!isSending) sendWaiting().catch(() => send(prune))
    },
    sendStats,
    clear() {
      waiting = []
    },
  }
}

/** The message about a change; null where there is none to send. */
async function changeMessageOf(
  change: StoreChange,
  inbox: Pick<InboxPages, 'entry'>,
): Promise<ChangeMessage | null> {
  if (change.op === 'gap') return prune
  if (change.op === 'bulk') return change.isLast ? prune : null
  if (change.op === 'remove') return { Type: 'delete', Data: { ID: change.id } }
  try {
    const listed = toListed(await inbox.entry(change.id))
    const { ID, Read, Tags } = listed
    return change.op === 'insert'
      ? { Type: 'new', Data: listed }
      : { Type: 'update', Data: { ID, Read, Tags } }
  } catch (error) {
    // It was removed meanwhile, which is the next change.
    if (isErrorOf(error, 'not_found')) return null
    throw error
  }
}

async function statsOf(inbox: Pick<InboxPages, 'overview'>): Promise<ChangeMessage> {
  const { total, unread } = await inbox.overview()
  return { Type: 'stats', Data: { Total: total, Unread: unread, Version: `localpost ${version}` } }
}

const prune: ChangeMessage = { Type: 'prune', Data: null }
const statsMs = 250
const maxWaiting = 1000
