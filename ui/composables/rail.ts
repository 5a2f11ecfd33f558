import { computed, onScopeDispose, ref, type WritableComputedRef } from 'vue'
import { readStored, writeStored } from './stored.ts'

/** Whether the navigation shows icons alone: as a person chose last, else where its names would take the words from a mail's actions. */
export function useFoldedRail(): WritableComputedRef<boolean> {
  const narrow = matchMedia('(max-width: 84.49rem)')
  const isNarrow = ref(narrow.matches)
  const chosen = ref(readStored('rail'))
  const onChange = (): void => void (isNarrow.value = narrow.matches)
  narrow.addEventListener('change', onChange)
  onScopeDispose(() => narrow.removeEventListener('change', onChange))
  return computed({
    get: () => (chosen.value === null ? isNarrow.value : chosen.value === 'folded'),
    set(isFolded) {
      chosen.value = isFolded ? 'folded' : 'open'
      writeStored('rail', chosen.value)
    },
  })
}
