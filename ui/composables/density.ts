import { ref, watch, type Ref } from 'vue'
import { readStored, writeStored } from './stored.ts'

/** Whether the rows of the list have two lines instead of three. A change is kept for the next visit. */
export function useCompact(): Ref<boolean> {
  const compact = ref(readStored('density') === 'compact')
  watch(compact, (isCompact) => writeStored('density', isCompact ? 'compact' : null))
  return compact
}
