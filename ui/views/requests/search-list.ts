import { computed, watch, type ComputedRef } from 'vue'
import type { Paged } from '../shared/paged.ts'

/**
 * Loads a list to its end while an entry is looked for in it.
 *
 * @param searched  The list; null while nothing is looked for.
 * @returns Whether the entry may still be found.
 */
export function useSearchedList(searched: ComputedRef<Paged<unknown> | null>): ComputedRef<boolean> {
  // The array and not its length: an answer with as many entries may have taken the place of a further page.
  watch([searched, () => searched.value?.items.value], ([list]) => {
    if (list && list.phase.value === 'ready' && list.hasMore.value) void list.loadMore()
  })
  return computed(() => {
    const list = searched.value
    return list !== null && !list.problem.value && (list.phase.value === 'loading' || list.hasMore.value)
  })
}
