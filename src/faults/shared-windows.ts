import { hash } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import type { Window } from '../net/windows.ts'
import { untilCommitted } from '../store/repository.ts'
import { type Collection, insert, remove, type Store, type StoredRecord, update } from '../store/store.ts'

/** The number of requests of a key in a period, as stored if instances share a store. */
interface WindowRecord extends StoredRecord, Window {}

export const windowCollection: Collection<WindowRecord> = {
  name: 'rate_windows',
  indexes: { ends: { on: ['ends'] } },
}

/** Counts the requests of all instances that share a store. */
export class SharedWindows {
  readonly #store: Store
  readonly #clock: Pick<Clock, 'now'>
  /** The requests of each window that are not counted yet. */
  readonly #waiting = new Map<string, WaitingCount[]>()

  constructor(store: Store, clock: Pick<Clock, 'now'>) {
    this.#store = store
    this.#clock = clock
  }

  /** Counts one request; concurrent ones are stored together. @param limit  Each limit has its own count. */
  count(limit: string, key: string, perMs: number): Promise<Window> {
    // Keys are secrets.
    const id = hash('sha256', JSON.stringify([limit, key]))
    return new Promise((resolve, reject) => {
      const others = this.#waiting.get(id)
      if (others) return void others.push({ resolve, reject })
      this.#waiting.set(id, [{ resolve, reject }])
      void this.#countWaiting(id, perMs)
    })
  }

  async #countWaiting(id: string, perMs: number): Promise<void> {
    for (let batch = this.#waiting.get(id); batch?.length; batch = this.#waiting.get(id)) {
      this.#waiting.set(id, [])
      try {
        const { ends, before } = await this.#addToStored(id, batch.length, perMs)
        for (const [i, { resolve }] of batch.entries()) resolve({ ends, used: before + i + 1 })
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#waiting.delete(id)
  }

  #addToStored(id: string, more: number, perMs: number): Promise<{ ends: number; before: number }> {
    const store = this.#store
    return untilCommitted(async () => {
      const now = this.#clock.now()
      const stored = await store.get(windowCollection, id)
      const isOver = !stored || stored.ends <= now
      const { ends, used: before } = isOver ? { ends: now + perMs, used: 0 } : stored
      const record = { id, ends, used: before + more }
      const gone = isOver ? await store.ids(windowCollection, { index: 'ends', until: [now], limit: 20 }) : []
      await store.commit([
        ...gone.filter((one) => one !== id).map((one) => remove(windowCollection, one)),
        stored
          ? update(windowCollection, { ...record, version: stored.version })
          : insert(windowCollection, record),
      ])
      return { ends, before }
    })
  }
}

interface WaitingCount {
  resolve(window: Window): void
  reject(error: unknown): void
}
