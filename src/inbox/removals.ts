import type { Clock } from '../core/clock.ts'
import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import type { Ids } from '../core/ids.ts'
import type { Removal } from './types.ts'

/** Removals that can be undone for a while: the mails leave the lists at once, and the store at its end. */
export interface MailRemovals {
  /**
   * Hides mails, and removes them in ten seconds. Unknown ids are ignored.
   *
   * @throws closed; what the store throws if it refuses earlier removals, and too many mails are hidden.
   */
  begin(ids: readonly string[]): Promise<Removal>
  /** Shows the mails again. @throws not_found once none of them is stored. */
  undo(id: string): Promise<void>
  /** The mails that lists, searches and waits do not have. */
  hidden(): ReadonlySet<string>
  /** Calls a listener with the mails that left the lists, or came back. */
  onChanged(listener: RemovalListener): void
  /** Shows all mails again, before an earlier state is restored. What is being removed is removed when this resolves. */
  undoAll(): Promise<void>
  /** Removes at once what waits. */
  close(): Promise<void>
}

/** `hidden`: the mails left the lists; `shown`: they came back. */
type RemovalListener = (ids: readonly string[], change: 'hidden' | 'shown') => void

/** A removal that waits. */
interface Waiting {
  readonly ids: readonly string[]
  /** Cancels its end. */
  cancel(): void
  /** Whether the store has refused it before. */
  readonly isRefused: boolean
}

/**
 * @param deps.remove  Removes mails for good; some may be removed already.
 * @param deps.isStored  Whether a mail is in the store.
 * @param deps.onError  Called when the store refuses a removal for the first time. It is tried again.
 */
export function createMailRemovals(deps: {
  ids: Ids
  clock: Clock
  remove(ids: readonly string[]): Promise<unknown>
  isStored(id: string): Promise<boolean>
  onError(error: unknown): void
}): MailRemovals {
  /** By id, the oldest first. */
  const waiting = new Map<string, Waiting>()
  /** What is being removed: hidden until the store does not have it. */
  const ending = new Map<readonly string[], Promise<void>>()
  const listeners = new Set<RemovalListener>()
  let isClosed = false
  const tell: RemovalListener = (ids, change) => {
    for (const listener of listeners) listener(ids, change)
  }
  const hidden = (): ReadonlySet<string> =>
    new Set([...[...waiting.values()].map(({ ids }) => ids), ...ending.keys()].flat())

  function plan(id: string, removal: Omit<Waiting, 'cancel'>): void {
    // Its error is reported.
    const cancel = deps.clock.after(waitMs, () => void end(id).catch(() => {}))
    waiting.set(id, { ...removal, cancel })
  }

  /** @throws What the store throws: then the removal waits again, and can still be undone. */
  async function end(id: string): Promise<void> {
    const found = take(id)
    if (!found) return
    const removed = remove(id, found).finally(() => ending.delete(found.ids))
    ending.set(found.ids, removed)
    await removed
  }

  async function remove(id: string, { ids, isRefused }: Waiting): Promise<void> {
    try {
      await deps.remove(ids)
    } catch (error) {
      if (!isRefused) deps.onError(error)
      if (!isClosed) plan(id, { ids, isRefused: true })
      throw error
    }
  }

  function take(id: string): Waiting | undefined {
    const found = waiting.get(id)
    found?.cancel()
    waiting.delete(id)
    return found
  }

  async function storedOf(ids: Iterable<string>): Promise<string[]> {
    const stored: string[] = []
    for (const id of ids) if (await deps.isStored(id)) stored.push(id)
    return stored
  }

  /** Shows those mails again that are still stored. @returns Whether there are any. */
  async function show(ids: readonly string[]): Promise<boolean> {
    const stored = await storedOf(ids)
    if (stored.length > 0) tell(stored, 'shown')
    return stored.length > 0
  }

  return {
    hidden,
    async begin(given) {
      const ids = await storedOf(new Set(given))
      // Every list names the hidden mails one by one, so their number is limited: earlier removals end now.
      for (const id of waiting.keys()) {
        if (hidden().size + ids.length <= maxHidden) break
        await end(id)
      }
      if (isClosed) throw new LocalpostError('closed', 'This instance is closed; create a new one.')
      const id = deps.ids.next('rm')
      plan(id, { ids, isRefused: false })
      tell(ids, 'hidden')
      return { id, until: deps.clock.now() + waitMs }
    },
    async undo(id) {
      const found = take(id)
      if (found && (await show(found.ids))) return
      const message = `There is no removal ${quote(id)} that can be undone. The mails may be removed for good by now.`
      throw new LocalpostError('not_found', message)
    },
    onChanged: (listener) => void listeners.add(listener),
    async undoAll() {
      const ids = [...waiting.keys()].flatMap((id) => take(id)?.ids ?? [])
      await Promise.allSettled(ending.values())
      await show(ids)
    },
    async close() {
      isClosed = true
      await Promise.allSettled([...[...waiting.keys()].map(end), ...ending.values()])
    },
  }
}

const waitMs = 10_000
const maxHidden = 200
