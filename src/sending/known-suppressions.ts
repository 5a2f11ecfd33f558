import type { Clock } from '../core/clock.ts'
import { isErrorOf } from '../core/errors.ts'
import { pagesOf } from '../store/repository.ts'
import type { Store, StoreChange } from '../store/store.ts'
import { suppressionCollection, suppressionId } from './suppression.ts'

const retryMs = 10 * 1000

export interface KnownSuppressionsDeps {
  store: Store
  clock: Clock
  /** Called with errors of later readings. */
  onError(error: unknown): void
}

/**
 * The ids of the suppression list in memory, because each recipient is looked up. They follow the changes of the store, also of
 * other instances: each one at once. Where the store does not say what changed, all are read again, one reading after the other,
 * and what changes during a reading is applied to its result too. If a reading fails, it is tried again later.
 */
export class KnownSuppressions {
  readonly #store: Store
  readonly #clock: Clock
  readonly #onError: (error: unknown) => void
  readonly #stopListening: () => void
  #cancelRetry = (): void => {}
  #ids = new Set<string>()
  /** The last reading; those before it have ended when it begins. */
  #reading: Promise<void>
  /** What changed since the current reading began: ids, and whether their entries are there. Null while nothing is read. */
  #changed: Map<string, boolean> | null = null

  private constructor({ store, clock, onError }: KnownSuppressionsDeps) {
    this.#store = store
    this.#clock = clock
    this.#onError = onError
    // Before the first reading begins, so that nothing is missed between the two.
    this.#stopListening = store.changes((change) => this.#follow(change), { of: suppressionCollection })
    this.#reading = this.#readAll()
  }

  /** @throws the errors of the store, if it cannot be read. */
  static async open(deps: KnownSuppressionsDeps): Promise<KnownSuppressions> {
    const known = new KnownSuppressions(deps)
    await known.#reading
    return known
  }

  /** Whether an address gets no mail. */
  readonly has = (address: string): boolean => this.#ids.size > 0 && this.#ids.has(suppressionId(address))

  readonly isEmpty = (): boolean => this.#ids.size === 0

  /** Resolves when nothing is read. */
  readonly idle = (): Promise<void> => this.#reading

  async close(): Promise<void> {
    this.#stopListening()
    await this.#reading
    this.#cancelRetry()
  }

  #follow(change: StoreChange): void {
    if (change.op !== 'gap' && change.op !== 'bulk') return this.#note(change.id, change.op !== 'remove')
    this.#readAgain()
  }

  #readAgain(): void {
    this.#reading = this.#reading
      .then(() => this.#readAll())
      .catch((error: unknown) => {
        if (isErrorOf(error, 'closed')) return
        this.#onError(error)
        this.#cancelRetry()
        this.#cancelRetry = this.#clock.after(retryMs, () => this.#readAgain())
      })
  }

  async #readAll(): Promise<void> {
    const changed = (this.#changed = new Map<string, boolean>())
    const found = new Set<string>()
    try {
      for await (const records of pagesOf(this.#store, suppressionCollection, { limit: 500 }))
        for (const { id } of records) found.add(id)
      this.#ids = found
    } finally {
      this.#changed = null
    }
    for (const [id, isThere] of changed) this.#note(id, isThere)
  }

  #note(id: string, isThere: boolean): void {
    this.#changed?.set(id, isThere)
    if (isThere) this.#ids.add(id)
    else this.#ids.delete(id)
  }
}
