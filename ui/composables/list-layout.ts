import { ref, watch, type Ref } from 'vue'
import { readStored, writeStored } from './stored.ts'

/** How the list and the mail share the room on a wide screen. A change is kept for the next visit. */
export interface ListLayout {
  /** The width of the list in pixels; null for the usual one. */
  width: Ref<number | null>
  /** Whether the list has the whole width while no mail is open. */
  alone: Ref<boolean>
  /** Whether the mails of a conversation are one row. */
  threaded: Ref<boolean>
}

export function useListLayout(): ListLayout {
  const stored = Number(readStored('list-width'))
  const width = ref(stored >= narrowest ? stored : null)
  const alone = ref(readStored('list-alone') === 'on')
  watch(width, (px) => writeStored('list-width', px === null ? null : String(px)))
  watch(alone, (isOn) => writeStored('list-alone', isOn ? 'on' : null))
  const threaded = ref(readStored('list-threads') === 'on')
  watch(threaded, (isOn) => writeStored('list-threads', isOn ? 'on' : null))
  return { width, alone, threaded }
}

/** The least width of the list, and what the list leaves to the mail, in pixels; as in `layout.css`. */
export const narrowest = 256
export const leftToMail = 352
