import { computed, ref, watch, type ComputedRef } from 'vue'
import type { ListedMail } from '../../../src/inbox/types.ts'
import { hashOf } from '../../composables/route.ts'
import type { InboxList } from '../../composables/inbox.ts'

/** Navigation from the row of a broadcast to the list of its mails, and back. */
export interface BroadcastList {
  /** The subject of the broadcast whose mails are listed; null while the list is another one. */
  subject: ComputedRef<string | null>
  /** Lists the mails of a broadcast. */
  open(row: ListedMail): void
  /** Lists all mail again, with the focus on the row of the broadcast. */
  close(): void
}

export function useBroadcastList(inbox: InboxList, focusRow: (id: string) => void): BroadcastList {
  const shownId = computed(() => broadcastIn(inbox.query.value))
  const opened = ref<{ id: string; subject: string; row: string } | null>(null)

  function open({ id: row, broadcast }: ListedMail): void {
    if (!broadcast) return
    const { id, subject } = broadcast
    opened.value = { id, subject, row }
    // Its own history entry, so that the browser's Back button returns to the list of all mail.
    history.pushState(null, '', broadcastLink(id, location.hash))
    inbox.query.value = `broadcast:${id}`
  }

  watch([inbox.shown, inbox.phase], ([query], [before]) => {
    const row = opened.value?.row
    if (row !== undefined && query === '' && broadcastIn(before) === opened.value?.id) focusRow(row)
  })

  return {
    subject: computed(() => {
      if (shownId.value === null) return null
      return opened.value?.id === shownId.value
        ? opened.value.subject
        : (inbox.emails.value[0]?.subject ?? '')
    }),
    open,
    close() {
      inbox.query.value = ''
      // The list of the broadcast may not be loaded yet.
      if (opened.value && inbox.shown.value === '') focusRow(opened.value.row)
    },
  }
}

/** The URL of the mails of a broadcast. */
export function broadcastLink(id: string, hash: string = hashOf({ view: 'list' })): string {
  return `?${new URLSearchParams({ query: `broadcast:${id}` }).toString()}${hash}`
}

/** The id of the broadcast that a search is for; null if it is for something else. */
function broadcastIn(query: string): string | null {
  return /^broadcast:([^\s"]+)$/i.exec(query.trim())?.[1]?.toLowerCase() ?? null
}
