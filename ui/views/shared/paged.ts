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
  /** Loads the first page again and keeps entries of the others that are `isOlder` than its last one. */
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

/** @param fetchPage  Requests the page after `cursor`, or the first. */
export function usePaged<T>(
  fetchPage: (cursor: string | null) => Promise<{ items: T[]; cursor: string | null }>,
): Paged<T> {
  const items = shallowRef<T[]>([])
  const phase = ref<'loading' | 'ready' | 'failed'>('loading')
  const problem = ref('')
  const cursor = ref<string | null>(null)
  // The answer to an older request must not be added to the list of a newer one.
  let round = 0

  /** @param least  Further pages are taken until there are so many entries. */
  async function take(after: string | null, least = 0): Promise<void> {
    const mine = ++round
    try {
      let page = await fetchPage(after)
      const taken = after === null ? page.items : [...items.value, ...page.items]
      while (mine === round && page.cursor !== null && taken.length < least) {
        page = await fetchPage(page.cursor)
        taken.push(...page.items)
      }
      if (mine !== round) return
      items.value = taken
      cursor.value = page.cursor
      problem.value = ''
      phase.value = 'ready'
    } catch (error) {
      if (mine !== round) return
      problem.value = wordsOf(error)
      if (items.value.length === 0) phase.value = 'failed'
    }
  }
  async function refresh(isOlder: (entry: T, last: T) => boolean): Promise<void> {
    const [kept, after] = [items.value, cursor.value]
    await take(null)
    const last = items.value.at(-1)
    if (items.value === kept || last === undefined) return
    const older = kept.filter((entry) => isOlder(entry, last))
    if (older.length === 0) return
    items.value = [...items.value, ...older]
    cursor.value = after
  }
  return {
    items,
    refresh,
    phase,
    problem,
    hasMore: computed(() => cursor.value !== null),
    load: () => take(null),
    reload: () => take(null, items.value.length),
    loadMore: () => take(cursor.value),
  }
}
