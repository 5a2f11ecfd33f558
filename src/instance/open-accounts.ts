import { systemClock } from '../core/clock.ts'
import { LocalpostError } from '../core/errors.ts'
import { monotonicNow } from '../core/machine.ts'
import { runTogether } from '../core/run-all.ts'

/** The open accounts. Each is opened on its first use. */
export interface OpenAccounts<Opened> {
  /** Opens an account, or finds it open, and keeps it open until `release` is called. @throws not_found, closed. */
  hold(id: string): Promise<{ readonly opened: Opened; release(): void }>
  /** Keeps an account open from now on, also if it is being opened. @returns A function that ends this once. */
  keep(id: string): () => void
  peek(id: string): Opened | undefined
  all(): [string, Opened][]
  isOpen(id: string): boolean
  /** Closes an account, also if it is in use. */
  shut(id: string): Promise<void>
  /** Closes all of them; none is opened afterwards. */
  close(): Promise<void>
}

/**
 * Limits how many accounts are open: above the limit, the least recently used ones are closed, except those in use or
 * with work to do.
 *
 * @param deps.assertUsable  Throws not_found where an account may not be opened.
 * @param deps.isBusy  Whether an account that is not in use has work to do.
 * @param deps.mostOpen  The limit. More are open while they are in use.
 */
export function createOpenAccounts<Opened>(deps: {
  assertUsable(id: string): void
  open(id: string): Promise<Opened>
  end(id: string, opened: Opened): Promise<void>
  isBusy(id: string, opened: Opened): Promise<boolean>
  mostOpen: number
  onError(error: unknown): void
}): OpenAccounts<Opened> {
  const { mostOpen } = deps
  const opening = new Map<string, Promise<Opened>>()
  /** In the order of their last use. */
  const opened = new Map<string, Opened>()
  const ending = new Map<string, Promise<void>>()
  /** How many uses keep an account open. */
  const uses = new Map<string, number>()
  let isLooking = false
  let cancelTimer: (() => void) | null = null
  let isClosed = false

  async function open(id: string): Promise<Opened> {
    for (;;) {
      if (isClosed) throw new LocalpostError('closed', 'This instance is closed; create a new one.')
      deps.assertUsable(id)
      const known = opening.get(id)
      if (known) return known
      // Opening an account twice at the same time would do its work twice.
      const before = ending.get(id)
      if (!before) break
      await before.catch(() => {})
    }
    const begun = deps.open(id)
    opening.set(id, begun)
    try {
      const ready = await begun
      if (opening.get(id) === begun) opened.set(id, ready)
      return ready
    } catch (error) {
      if (opening.get(id) === begun) opening.delete(id)
      throw error
    }
  }

  function keep(id: string): () => void {
    uses.set(id, (uses.get(id) ?? 0) + 1)
    let isKept = true
    return () => {
      if (!isKept) return
      isKept = false
      const left = (uses.get(id) ?? 1) - 1
      if (left > 0) return void uses.set(id, left)
      uses.delete(id)
      const ready = opened.get(id)
      if (ready && opened.delete(id)) opened.set(id, ready)
      if (opened.size > mostOpen && !cancelTimer) void closeIdle()
    }
  }

  function shut(id: string): Promise<void> {
    const begun = opening.get(id)
    if (!begun) return ending.get(id) ?? Promise.resolve()
    opening.delete(id)
    opened.delete(id)
    const end = (async () => {
      const ready = await begun.catch(() => null)
      if (ready !== null) await deps.end(id, ready)
    })().finally(() => ending.delete(id))
    ending.set(id, end)
    return end
  }

  /** Closes accounts until the limit is reached, or the others are in use or have work to do. */
  async function closeIdle(): Promise<void> {
    if (isLooking || isClosed) return
    isLooking = true
    const began = monotonicNow()
    const leastUsedFirst = [...opened]
    try {
      for (const [id, ready] of leastUsedFirst) {
        if (opened.size <= mostOpen) return
        if (uses.has(id) || (await deps.isBusy(id, ready))) continue
        if (!uses.has(id) && opened.get(id) === ready) await shut(id)
      }
    } catch (error) {
      if (!isClosed) deps.onError(error)
    } finally {
      isLooking = false
    }
    if (opened.size <= mostOpen || isClosed) return
    const restMs = Math.max(shortestRestMs, restShare * (monotonicNow() - began))
    cancelTimer = systemClock.after(restMs, () => {
      cancelTimer = null
      void closeIdle()
    })
  }

  return {
    async hold(id) {
      const release = keep(id)
      try {
        return { opened: await open(id), release }
      } catch (error) {
        release()
        throw error
      }
    },
    keep,
    peek: (id) => opened.get(id),
    all: () => [...opened],
    isOpen: (id) => opening.has(id),
    shut,
    async close() {
      isClosed = true
      cancelTimer?.()
      await runTogether([
        ...[...opening.keys()].map((id) => () => shut(id)),
        ...[...ending.values()].map((end) => () => end),
      ])
    },
  }
}

// Accounts above the limit that cannot be closed are checked again later; the checks take at most a twentieth of the time.
const shortestRestMs = 250
const restShare = 20
