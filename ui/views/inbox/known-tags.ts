import {
  computed,
  inject,
  onScopeDispose,
  provide,
  shallowRef,
  type ComputedRef,
  type InjectionKey,
  type Ref,
} from 'vue'
import type { TagCount } from '../../../src/inbox/types.ts'
import type { Instance } from '../../composables/instance.ts'
import { colorOfName, type TagColor } from './tag-colors.ts'

/** All tags of the shown account, for the filters, the rows and the fields for tags. */
export interface KnownTags {
  /** The most frequent first. */
  counts: Ref<readonly TagCount[]>
  names: ComputedRef<readonly string[]>
  colorOf(tag: string): TagColor
}

/** Reads the tags, and again after changes: once a second at most, however much mail arrives. */
export function provideTags({ api, live }: Pick<Instance, 'api' | 'live'>): KnownTags {
  const counts = shallowRef<readonly TagCount[]>([])
  let isLoading = false
  let timer: ReturnType<typeof setTimeout> | undefined
  async function load(): Promise<void> {
    if (isLoading) return
    isLoading = true
    try {
      counts.value = (await api.read<{ tags: TagCount[] }>('dev/inbox/tags')).tags
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
  live.listen({ onConnected: () => void load(), onChanges: loadSoon, onManyChanged: loadSoon })
  onScopeDispose(() => clearTimeout(timer))
  void load()
  const known = { counts, names: computed(() => counts.value.map(({ tag }) => tag)), colorOf: colorOfName }
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
