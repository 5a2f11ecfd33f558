import { watch, type Ref } from 'vue'
import type { ListedMail } from '../../../src/inbox/types.ts'
import type { InboxList } from '../../composables/inbox.ts'
import type { Router } from '../../composables/route.ts'
import { provideMailSearch } from './search-words.ts'

export interface FirstResultParts {
  inbox: InboxList
  router: Pick<Router, 'go'>
  /** The mail that keyboard shortcuts apply to. */
  currentId: Ref<string | null>
  /** Whether the open mail is shown alone. */
  full: Readonly<Ref<boolean>>
  focusRow: (id: string) => void
}

/** Goes to the first result of a search, also of one that a part of a mail begins. */
export function useFirstResult({ inbox, router: { go }, currentId, full, focusRow }: FirstResultParts): {
  /** Opens it, with the focus in the list; a phone, which shows one of both, stays in the list. */
  openFirst(): Promise<void>
} {
  provideMailSearch(inbox.shown, (query) => {
    // Its own history entry, so that the browser's Back button returns to the mail.
    history.pushState(null, '', `?${new URLSearchParams({ query }).toString()}${location.hash}`)
    inbox.query.value = query
    // A phone and the view of a mail alone hide the list.
    if (!full.value && isWide()) return
    go({ view: 'list' }, true)
    void focusFirst()
  })

  /** Moves the focus to the first result, once it is there. */
  async function focusFirst(): Promise<ListedMail | undefined> {
    await until(() => inbox.shown.value === inbox.query.value.trim() && inbox.phase.value !== 'loading')
    const [first] = inbox.emails.value
    if (!first) return undefined
    currentId.value = first.id
    focusRow(first.id)
    return first
  }

  /** Waits for a state that a change of the list brings. */
  function until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const stop = watch(
        [inbox.shown, inbox.phase, inbox.problem],
        () => {
          if (!holds() && inbox.problem.value === '') return
          queueMicrotask(() => stop())
          resolve()
        },
        { immediate: true },
      )
    })
  }

  return {
    async openFirst() {
      const first = await focusFirst()
      if (!first || first.broadcast || !isWide()) return
      go({ view: 'mail', id: first.id })
      focusRow(first.id)
    },
  }
}

const isWide = (): boolean => matchMedia('(min-width: 48rem)').matches
