import type { Clock } from '../core/clock.ts'
import { LocalpostError, quote } from '../core/errors.ts'
import type { Ids } from '../core/ids.ts'
import type { Removal } from './types.ts'

/** Removals that can be undone for a while: the mails leave the lists at once, and the store at its end. */
export interface Removals {
  /** Hides mails, and removes them in ten seconds. */
  begin(ids: readonly string[]): Promise<Removal>
  /** Shows the mails again. @throws not_found once they are removed. */
  undo(id: string): void
  /** The mails that lists do not have. */
  hidden(): ReadonlySet<string>
  /** Calls a listener with the mails that left the lists, or came back. */
  onChanged(listener: (ids: readonly string[], isHidden: boolean) => void): void
  /** Removes at once what waits. */
  close(): Promise<void>
}

/** @param deps.remove  Removes mails for good; unknown ids are ignored. */
export function createRemovals(deps: {
  ids: Ids
  clock: Clock
  remove(ids: readonly string[]): Promise<unknown>
}): Removals {
  /** By id, the oldest first. */
  const waiting = new Map<string, { ids: readonly string[]; cancel(): void }>()
  /** What is being removed: hidden until the store does not have it. */
  const ending = new Set<readonly string[]>()
  const listeners = new Set<(ids: readonly string[], isHidden: boolean) => void>()
  const tell = (ids: readonly string[], isHidden: boolean): void => {
    for (const listener of listeners) listener(ids, isHidden)
  }
  const hidden = (): ReadonlySet<string> =>
    new Set([...[...waiting.values()].map(({ ids }) => ids), ...ending].flat())

  async function end(id: string): Promise<void> {
    const found = waiting.get(id)
    if (!found) return
    found.cancel()
    waiting.delete(id)
    ending.add(found.ids)
    try {
      await deps.remove(found.ids)
    } catch {
      // The store refuses: the mails are still there, and the lists have them again.
      tell(found.ids, false)
    } finally {
      ending.delete(found.ids)
    }
  }
  return {
    hidden,
    async begin(ids) {
      // Each list excludes them one by one.
      for (const id of waiting.keys()) {
        if (hidden().size + ids.length <= mostHidden) break
        await end(id)
      }
      const id = deps.ids.next('rm')
      waiting.set(id, { ids, cancel: deps.clock.after(waitMs, () => void end(id)) })
      tell(ids, true)
      return { id, until: deps.clock.now() + waitMs }
    },
    undo(id) {
      const found = waiting.get(id)
      if (!found)
        throw new LocalpostError(
          'not_found',
          `There is no removal ${quote(id)} that can be undone. The mails may be removed for good by now.`,
        )
      found.cancel()
      waiting.delete(id)
      tell(found.ids, false)
    },
    onChanged: (listener) => void listeners.add(listener),
    async close() {
      await Promise.all([...waiting.keys()].map(end))
    },
  }
}

const waitMs = 10_000
const mostHidden = 200
