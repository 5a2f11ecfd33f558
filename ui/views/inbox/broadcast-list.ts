import { computed, ref, watch, type ComputedRef } from 'vue'
import { hashOf } from '../../composables/route.ts'
import type { InboxList } from '../../composables/inbox.ts'
import type { ListRow } from './conversations.ts'

/** Navigation from the row of a broadcast or a conversation to the list of its mails, and back. */
export interface BroadcastList {
  /** The subject of the broadcast or conversation whose mails are listed; null while the list is another one. */
  subject: ComputedRef<string | null>
  kind: ComputedRef<'Broadcast' | 'Conversation'>
  /** Lists the mails of a row. */
  open(row: ListRow): void
  /** Lists all mail again, with the focus on the row. */
  close(): void
}

export function useBroadcastList(inbox: InboxList, focusRow: (id: string) => void): BroadcastList {
  const shownId = computed(() => broadcastIn(inbox.query.value))
  const opened = ref<{ query: string; subject: string; row: string } | null>(null)
  const isOpened = computed(() => opened.value?.query === inbox.query.value.trim())

  function open(row: ListRow): void {
    const subject = (row.broadcast ?? row.conversation)?.subject
    const query = searchOf(row)
    if (subject === undefined || query === null) return
    opened.value = { query, subject, row: row.id }
    // Its own history entry, so that the browser's Back button returns to the list of all mail.
    history.pushState(null, '', searchLink(query, location.hash))
    inbox.query.value = query
  }

  watch([inbox.shown, inbox.phase], ([query], [before]) => {
    const row = opened.value?.row
    if (row !== undefined && query === '' && before === opened.value?.query) focusRow(row)
  })

  return {
    subject: computed(() => {
      if (isOpened.value) return opened.value?.subject ?? ''
      return shownId.value === null ? null : (inbox.emails.value[0]?.subject ?? '')
    }),
    kind: computed(() => (shownId.value === null ? 'Conversation' : 'Broadcast')),
    open,
    close() {
      inbox.query.value = ''
      // The list of the broadcast may not be loaded yet.
      if (opened.value && inbox.shown.value === '') focusRow(opened.value.row)
    },
  }
}

/** The search for the mails of a row that stands for several; null for other rows. */
export function searchOf({ broadcast, conversation }: ListRow): string | null {
  if (broadcast) return `broadcast:${broadcast.id}`
  // Other people may write about the same subject, so no words would find these mails alone.
  return conversation ? `id:${conversation.ids.join(',')}` : null
}

/** The URL of a search. */
export function searchLink(query: string, hash: string = hashOf({ view: 'list' })): string {
  return `?${new URLSearchParams({ query }).toString()}${hash}`
}

/** The id of the broadcast that a search is for; null if it is for something else. */
function broadcastIn(query: string): string | null {
  return /^broadcast:([^\s"]+)$/i.exec(query.trim())?.[1]?.toLowerCase() ?? null
}
