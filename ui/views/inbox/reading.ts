import type { Ref } from 'vue'
import type { Api } from '../../composables/api.ts'
import { painted } from '../../composables/idle.ts'
import type { InboxList } from '../../composables/inbox.ts'
import type { LiveFeed } from '../../composables/live.ts'
import { type OpenMail, useOpenMail } from '../../composables/open-mail.ts'
import { hashOf, type Router } from '../../composables/route.ts'
import { useNearMails } from './near-mails.ts'
import { useNewest } from './newest.ts'

export interface ReadingParts {
  api: Api
  live: LiveFeed
  inbox: InboxList
  router: Pick<Router, 'route' | 'openId' | 'go'>
  /** The mail from which the keyboard moves on; opening a mail sets it to that mail. */
  currentId: Ref<string | null>
  markRead: (id: string) => void
  /** See {@link useNewest}. */
  alone: Readonly<Ref<boolean>>
}

/** The open mail, and when it counts as read: once a person opened it, not the page on its own. */
export function useReading({ api, live, inbox, router, currentId, markRead, alone }: ReadingParts): {
  open: OpenMail
  /** Call it for events of the pointer over the list. */
  onPointer(event: PointerEvent): void
  onRowClick(event: Event): void
} {
  const { route, openId, go } = router
  // A mail that the page opens on its own, or shows again after a reload, was not opened by a person. One opened by a link was.
  const [entry] = performance.getEntriesByType('navigation')
  const isFollowed = entry instanceof PerformanceNavigationTiming && entry.type === 'navigate'
  let openedByPage = isFollowed ? null : openId.value
  const near = useNearMails({ api, live, inbox, openId })
  const open = useOpenMail(api, near, openId, (mail) => {
    currentId.value = mail.id
    near.onOpened(mail.id)
    const isByPage = mail.id === openedByPage
    openedByPage = null
    if (!mail.unread || isByPage) return
    newest.whenSeen(async () => {
      // Another mail was opened before a person looked at the page.
      if (openId.value !== mail.id) return
      // Its content comes first.
      await painted()
      const isOpen = openId.value === mail.id
      const isUnread = open.phase.value === 'ready' && open.mail.value?.unread === true
      // A person may have moved on to the next mail, but not have marked this one.
      if (!isOpen || isUnread) markRead(mail.id)
    })
  })
  const newest = useNewest({ inbox, route, go, alone, beforeOpen: (id) => (openedByPage = id) })
  return {
    open,
    onPointer: near.onPointer,
    /** Marks the open mail as read when a person clicks its row: the address does not change then. */
    onRowClick(event) {
      const { value: mail } = open.mail
      const row = event.target instanceof Element ? event.target.closest('a[href]') : null
      if (mail?.unread && row?.getAttribute('href') === hashOf({ view: 'mail', id: mail.id }))
        markRead(mail.id)
    },
  }
}
