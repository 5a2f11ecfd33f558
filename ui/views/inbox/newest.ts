import { watch, type Ref } from 'vue'
import type { InboxList } from '../../composables/inbox.ts'
import type { Route } from '../../composables/route.ts'

export interface NewestParts {
  inbox: InboxList
  route: Readonly<Ref<Route>>
  go: (to: Route, replace?: boolean) => void
  /** Whether the list has the whole width while no mail is open: then none is opened automatically. */
  alone: Readonly<Ref<boolean>>
  /** Called before a mail is opened automatically. */
  beforeOpen: (id: string) => void
}

/**
 * Opens the newest mail automatically where there is room beside the list: when the page is opened, and when the first
 * mail comes into an empty inbox. Whatever is being read later stays.
 */
export function useNewest({ inbox, route, go, alone, beforeOpen }: NewestParts): {
  whenSeen(work: () => Promise<void>): void
} {
  let isWaiting = true
  watch([inbox.emails, inbox.phase], ([mails, phase]) => {
    if (phase !== 'ready') return
    if (mails.length === 0) {
      // Emptied by a person, it waits for the next first mail.
      isWaiting = inbox.shown.value === ''
      return
    }
    const [newest] = mails
    if (isWaiting && newest && !alone.value && route.value.view === 'list' && wide.matches) {
      beforeOpen(newest.id)
      go({ view: 'mail', id: newest.id }, true)
    }
    isWaiting = false
  })
  return {
    /** Does something once a person looks at the page: a mail that opens behind their editor was not read. */
    whenSeen(work) {
      if (document.hasFocus()) void work()
      else addEventListener('focus', () => void work(), { once: true })
    },
  }
}

const wide = matchMedia('(min-width: 48rem)')
