import { computed, ref, shallowRef, type ComputedRef, type Ref, type ShallowRef } from 'vue'
import { wordsOf } from '../../composables/api.ts'

/** A list that is loaded page by page. */
export interface Paged<T> {
  items: ShallowRef<T[]>
  /** `loading` only while there is nothing to show yet. */
  phase: Ref<'loading' | 'ready' | 'failed'>
  problem: Ref<string>
  hasMore: ComputedRef<boolean>
  /** Loads the first page again. */
  load(): Promise<void>
  loadMore(): Promise<void>
  /** Loads the pages that are loaded again. */
  reload(): Promise<void>
  /**
   * Loads what is new, and keeps the entries that are `isOlder` than the last one of that, unless that was the last one of all.
   * After very much it begins again with the newest entries, so that the list never has a gap.
   */
  refresh(isOlder: (entry: T, last: T) => boolean): Promise<void>
}

/** What is shown of the state of a list, or of several as one. */
export interface ListProgress {
  items: Readonly<Ref<readonly unknown[]>>
  phase: Readonly<Ref<Paged<unknown>['phase']['value']>>
  problem: Readonly<Ref<string>>
  hasMore: Readonly<Ref<boolean>>
  load(): Promise<void>
  loadMore(): Promise<void>
}

/**
 * @param fetchPage  Requests the page after `cursor`, or the first.
 * @param atFirst  How many entries `load` and `reload` take, if there are so many. Default: one page.
 */
export function usePaged<T>(
  fetchPage: (cursor: string | null) => Promise<{ items: T[]; cursor: string | null }>,
  atFirst = 0,
): Paged<T> {
  const items = shallowRef<T[]>([])
  const phase = ref<'loading' | 'ready' | 'failed'>('loading')
  const problem = ref('')
  const cursor = ref<string | null>(null)
  // The answer to an older request must not be added to the list of a newer one.
  let round = 0

  /**
   * @param least  Further pages are taken until there are so many entries.
   * @param isOlder  Which of the entries that are there stay after the last one of the answer.
   */
  async function take(
    after: string | null,
    least = 0,
    isOlder: (entry: T, last: T) => boolean = () => false,
  ): Promise<void> {
    const mine = ++round
    try {
      let page = await fetchPage(after)
      const taken = after === null ? page.items : [...items.value, ...page.items]
      /** Whether there may be entries between those that were taken and the newest one that is there. */
      const isApart = (): boolean => {
        const [known] = items.value
        const last = taken.at(-1)
        return page.cursor !== null && known !== undefined && last !== undefined && isOlder(known, last)
      }
      for (let pages = 1; mine === round && page.cursor !== null; pages++) {
        if (taken.length >= least && !(isApart() && pages < mostPages)) break
        page = await fetchPage(page.cursor)
        taken.push(...page.items)
      }
      if (mine !== round) return
      const last = taken.at(-1)
      // After the last page there is nothing: what is known of it was deleted.
      const isAll = page.cursor === null || last === undefined
      const older = isAll || isApart() ? [] : items.value.filter((entry) => isOlder(entry, last))
      // At once: whoever watches the list asks for what comes after its end.
      items.value = [...taken, ...older]
      if (older.length === 0) cursor.value = page.cursor
      problem.value = ''
      phase.value = 'ready'
    } catch (error) {
      if (mine !== round) return
      problem.value = wordsOf(error)
      if (items.value.length === 0) phase.value = 'failed'
    }
  }
  return {
    items,
    phase,
    problem,
    hasMore: computed(() => cursor.value !== null),
    load: () => take(null, atFirst),
    reload: () => take(null, Math.max(atFirst, items.value.length)),
    refresh: (isOlder) => take(null, 0, isOlder),
    loadMore: () => take(cursor.value),
  }
}

/** After more new entries than these pages have, a list begins again with them. */
const mostPages = 10
