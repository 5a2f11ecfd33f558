import { computed, shallowRef, watchEffect, type ComputedRef } from 'vue'
import type { MailSummary } from '../../../src/inbox/types.ts'
import type { InboxList } from '../../composables/inbox.ts'
import { splitAddress } from '../../composables/words.ts'
import { chosenTags } from './broadcast-tag.ts'

/** The values to suggest for a search: those of the list without a search, kept while a search is active. */
export function useKnownValues({
  emails,
  phase,
  shown,
}: Pick<InboxList, 'emails' | 'phase' | 'shown'>): ComputedRef<Record<string, string[]>> {
  const all = shallowRef<readonly MailSummary[]>([])
  watchEffect(() => {
    if (phase.value === 'ready' && (shown.value === '' || all.value.length === 0)) all.value = emails.value
  })
  return computed(() => valuesOf(all.value))
}

/** Values from the newest of the loaded mails, by key. */
function valuesOf(mails: readonly MailSummary[]): Record<string, string[]> {
  const newest = mails.slice(0, 200)
  const distinct = (values: string[]): string[] => [...new Set(values)].filter(Boolean)
  return {
    from: distinct(newest.map(({ from }) => splitAddress(from).address)),
    to: distinct(newest.flatMap(({ to }) => to)),
    tag: distinct(newest.flatMap(({ tags }) => chosenTags(tags))),
  }
}
