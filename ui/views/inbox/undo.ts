import { inject, onScopeDispose, provide, shallowRef, type InjectionKey, type ShallowRef } from 'vue'
import type { Removal } from '../../../src/inbox/types.ts'
import { type Api, ApiError } from '../../composables/api.ts'

/** A removal that can still be undone. */
export interface Undoable {
  id: string
  /** The mails, the open one first. */
  ids: readonly string[]
}

/** Removals that the server keeps for ten seconds, and that the page offers to undo, the newest first. */
export interface Undo {
  last: ShallowRef<Undoable | null>
  /** Asks for the removal. A page that is closed changes nothing. */
  remove(ids: readonly string[]): Promise<void>
  /** Takes the newest one back. One that fails can be tried again, unless the server does not have it any more. */
  undo(): Promise<Undoable | null>
}

/** Kept for all rooms, so that a removal can be undone after a visit to another one. */
export function provideUndo(api: Pick<Api, 'write'>): Undo {
  const undo = createUndo(api)
  provide(key, undo)
  return undo
}

export function useUndo(): Undo {
  const undo = inject(key)
  if (!undo) throw new Error('There is no undo above this component.')
  return undo
}

const key: InjectionKey<Undo> = Symbol('undo')

export function createUndo(api: Pick<Api, 'write'>): Undo {
  const last = shallowRef<Undoable | null>(null)
  /** The oldest first. */
  const offered = new Map<string, Undoable>()
  const timers = new Set<ReturnType<typeof setTimeout>>()
  onScopeDispose(() => timers.forEach(clearTimeout))
  const show = (): void => void (last.value = [...offered.values()].at(-1) ?? null)
  const withdraw = (id: string): void => {
    offered.delete(id)
    show()
  }
  let isAsking = false
  return {
    last,
    async remove(ids) {
      const { id } = await api.write<Removal>('POST', 'dev/inbox/removals', { ids })
      offered.set(id, { id, ids })
      show()
      // Shorter than the server waits, by what an answer may take.
      const timer = setTimeout(() => {
        timers.delete(timer)
        withdraw(id)
      }, offeredMs)
      timers.add(timer)
    },
    async undo() {
      const { value: undone } = last
      if (!undone || isAsking) return null
      isAsking = true
      try {
        await api.write('DELETE', `dev/inbox/removals/${encodeURIComponent(undone.id)}`)
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) withdraw(undone.id)
        throw error
      } finally {
        isAsking = false
      }
      withdraw(undone.id)
      return undone
    },
  }
}

const offeredMs = 9500
/** The most mails of one removal. More are removed at once, after a question. */
export const mostUndone = 100
