import {
  computed,
  inject,
  onScopeDispose,
  provide,
  shallowRef,
  type ComputedRef,
  type InjectionKey,
} from 'vue'
import type { TagColor, TagCount } from '../../../src/inbox/types.ts'
import type { Instance } from '../../composables/instance.ts'
import { isBroadcastTag } from './broadcast-tag.ts'
import { colorOfName } from './tag-colors.ts'

/** All tags of the shown account, for the filters, the rows and the fields for tags. */
export interface KnownTags {
  /** The tags that at least one mail has, the most frequent first, without the ids of broadcasts. */
  counts: ComputedRef<readonly TagCount[]>
  names: ComputedRef<readonly string[]>
  colorOf(tag: string): TagColor
  /** The colour that was chosen for a tag; null if it is derived from the name. */
  chosenColorOf(tag: string): TagColor | null
}

/** Reads the tags at once when connected and after changes of tags; after changes of mails at most once a second. */
export function provideTags({ api, live }: Pick<Instance, 'api' | 'live'>): KnownTags {
  const all = shallowRef<readonly TagCount[]>([])
  let isLoading = false
  let isOutdated = false
  let timer: ReturnType<typeof setTimeout> | undefined
  async function load(): Promise<void> {
    isOutdated = true
    if (isLoading) return
    isLoading = true
    try {
      while (isOutdated) {
        isOutdated = false
        all.value = (await api.read<{ tags: TagCount[] }>('dev/inbox/tags')).tags
      }
    } catch {
      // The lost connection is shown elsewhere.
    } finally {
      isLoading = false
    }
  }
  function loadSoon(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      void load()
    }, 1000)
  }
  const loadNow = (): void => void load()
  live.listen({ onConnected: loadNow, onTags: loadNow, onChanges: loadSoon, onManyChanged: loadSoon })
  onScopeDispose(() => clearTimeout(timer))
  if (live.connection.value === 'live') loadNow()
  const counts = computed(() => all.value.filter(({ tag, count }) => count > 0 && !isBroadcastTag(tag)))
  const chosen = computed(() => new Map(all.value.map(({ tag, color }) => [tag, color])))
  const chosenColorOf = (tag: string): TagColor | null => chosen.value.get(tag.toLowerCase()) ?? null
  const known: KnownTags = {
    counts,
    names: computed(() => counts.value.map(({ tag }) => tag)),
    colorOf: (tag) => chosenColorOf(tag) ?? colorOfName(tag),
    chosenColorOf,
  }
  provide(key, known)
  return known
}

/** @throws Error outside of the component that called {@link provideTags}. */
export function useTags(): KnownTags {
  const known = inject(key)
  if (!known) throw new Error('There are no tags above this component.')
  return known
}

const key: InjectionKey<KnownTags> = Symbol('tags')
