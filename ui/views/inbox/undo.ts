import { onScopeDispose, shallowRef, type ShallowRef } from 'vue'
import type { Removal } from '../../../src/inbox/types.ts'
import type { Api } from '../../composables/api.ts'

/** A removal that can still be undone. */
export interface Undoable {
  id: string
  /** The mails, the open one first. */
  ids: readonly string[]
}

/** Removals that the server keeps for ten seconds, and of which the page offers the last. */
export interface Undo {
  last: ShallowRef<Undoable | null>
  /** Asks for the removal. A page that is closed changes nothing. */
  remove(ids: readonly string[]): Promise<void>
  /** Takes the last one back. */
  undo(): Promise<Undoable | null>
}

export function useUndo(api: Api): Undo {
  const last = shallowRef<Undoable | null>(null)
  let timer: ReturnType<typeof setTimeout> | undefined
  onScopeDispose(() => clearTimeout(timer))
  return {
    last,
    async remove(ids) {
      const { id } = await api.write<Removal>('POST', 'dev/inbox/removals', { ids })
      clearTimeout(timer)
      last.value = { id, ids }
      // Shorter than the server waits, by what an answer may take.
      timer = setTimeout(() => (last.value = null), offeredMs)
    },
    async undo() {
      const { value: undone } = last
      last.value = null
      if (undone) await api.write('DELETE', `dev/inbox/removals/${encodeURIComponent(undone.id)}`)
      return undone
    },
  }
}

const offeredMs = 9500
/** The most mails of one removal. More are removed at once, after a question. */
export const mostUndone = 100
