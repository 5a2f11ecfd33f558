import type { Clock } from '../core/clock.ts'
import { isErrorOf } from '../core/errors.ts'
import { pagesOf } from '../store/repository.ts'
import type { Store } from '../store/store.ts'
import { suppressionCollection, suppressionId } from './suppression.ts'

/** What is known of the suppression list without the store. */
export interface KnownSuppressions {
  /** Whether an address gets no mail, as far as this instance knows. */
  has(address: string): boolean
  /** Whether every address gets mail. */
  isEmpty(): boolean
  /** Resolves when nothing is read. */
  idle(): Promise<void>
  close(): Promise<void>
}

/**
 * Keeps the ids of the suppression list in memory, because each recipient is looked up. They follow the changes of the store,
 * also of other instances: each one at once. Where the store does not say what changed, all are read again, one reading after
 * the other, and what changes during a reading is applied to its result too. If a reading fails, it is tried again later.
 *
 * @param onError  Called with errors of later readings.
 * @throws the errors of the store, if it cannot be read.
 */
export async function openKnownSuppressions(
  store: Store,
  clock: Clock,
  onError: (error: unknown) => void,
): Promise<KnownSuppressions> {
  let ids = new Set<string>()
  /** What changed since the current reading began: ids, and whether their entries are there. Null while nothing is read. */
  let changed: Map<string, boolean> | null = null
  let cancelRetry = (): void => {}

  function note(id: string, isThere: boolean): void {
    changed?.set(id, isThere)
    if (isThere) ids.add(id)
    else ids.delete(id)
  }

  async function readAll(): Promise<void> {
    const duringReading = (changed = new Map<string, boolean>())
    const found = new Set<string>()
    try {
      for await (const records of pagesOf(store, suppressionCollection, { limit: 500 }))
        for (const { id } of records) found.add(id)
      ids = found
    } finally {
      changed = null
    }
    for (const [id, isThere] of duringReading) note(id, isThere)
  }

  function readAgain(): void {
    reading = reading.then(readAll).catch((error: unknown) => {
      if (isErrorOf(error, 'closed')) return
      onError(error)
      cancelRetry()
      cancelRetry = clock.after(retryMs, readAgain)
    })
  }

  /** The last reading; those before it have ended when it begins. */
  let reading = Promise.resolve()
  // Before the first reading begins, so that nothing is missed between the two.
  const stopListening = store.changes(
    (change) => {
      if (change.op === 'gap' || change.op === 'bulk') readAgain()
      else note(change.id, change.op !== 'remove')
    },
    { of: suppressionCollection },
  )
  reading = readAll()
  await reading
  return {
    has: (address) => ids.size > 0 && ids.has(suppressionId(address)),
    isEmpty: () => ids.size === 0,
    idle: () => reading,
    async close() {
      stopListening()
      await reading
      cancelRetry()
    },
  }
}

const retryMs = 10 * 1000
