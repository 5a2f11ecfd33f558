import { computed, type ComputedRef } from 'vue'
import type { InboxList } from '../../composables/inbox.ts'
import type { OpenMail } from '../../composables/open-mail.ts'

/** What the inbox shows besides the rows of its list. */
export interface ListState {
  /** Whether the list is that of the typed search. */
  known: ComputedRef<boolean>
  /** Whether there is no mail at all. */
  empty: ComputedRef<boolean>
  /** Whether there is mail, or was: the parts that an empty inbox does not need are loaded then. */
  isUsed: ComputedRef<boolean>
  /** Whether the list needs a heading: an open mail has one, and so has the view that explains how to connect. */
  isUnnamed: ComputedRef<boolean>
}

export function useListState({
  inbox,
  open,
  openId,
}: {
  inbox: InboxList
  open: OpenMail
  openId: ComputedRef<string | null>
}): ListState {
  const known = computed(
    () => inbox.phase.value === 'ready' && inbox.shown.value === inbox.query.value.trim(),
  )
  const empty = computed(() => known.value && inbox.count.value === 0 && inbox.shown.value === '')
  const isUsed = computed((before: boolean | undefined = false): boolean => before || inbox.mails.value > 0)
  const isUnnamed = computed(() =>
    openId.value === null
      ? !empty.value
      : open.mail.value === null || open.phase.value === 'gone' || open.phase.value === 'failed',
  )
  return { known, empty, isUsed, isUnnamed }
}
