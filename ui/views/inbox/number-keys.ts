import type { Ref } from 'vue'
import { useCommands } from '../../composables/commands.ts'

/** The keys `1` to `9` open the entries of a list while the focus is in it. */
export interface NumberKeys {
  /** The key of the entry at this place, from 0; undefined if it has none. */
  keyOf(index: number): string | undefined
  onKey(event: KeyboardEvent): void
}

/**
 * @param box  The list.
 * @param opener  What opens an entry: a selector within its item.
 */
export function useNumberKeys(box: Ref<HTMLElement | undefined>, opener: string): NumberKeys {
  const { keysOn } = useCommands()
  return {
    keyOf: (index) => (keysOn.value && index < 9 ? String(index + 1) : undefined),
    onKey(event) {
      if (!keysOn.value || event.ctrlKey || event.metaKey || event.altKey) return
      const item = /^[1-9]$/.test(event.key) ? box.value?.children[Number(event.key) - 1] : undefined
      if (!item) return
      // The same keys show the sides of the mail.
      event.preventDefault()
      item.querySelector<HTMLElement>(opener)?.click()
    },
  }
}
