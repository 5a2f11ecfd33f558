import { computed, ref, type Ref, type WritableComputedRef } from 'vue'
import { readStored, writeStored } from '../../composables/stored.ts'

/**
 * The makers of mail clients that a person wants to see, kept for the next visit.
 *
 * @param makers  All makers.
 * @returns Those chosen, in the order of `makers`; all of them until a person chooses.
 */
export function useChosenClients(makers: Readonly<Ref<readonly string[]>>): WritableComputedRef<string[]> {
  const kept = ref(readStored('clients'))
  return computed({
    get() {
      const names = kept.value?.split('|') ?? []
      const chosen = makers.value.filter((maker) => names.includes(maker))
      return chosen.length > 0 ? chosen : [...makers.value]
    },
    set(chosen) {
      const isAll = chosen.length === 0 || chosen.length === makers.value.length
      kept.value = isAll ? null : chosen.join('|')
      writeStored('clients', kept.value)
    },
  })
}
