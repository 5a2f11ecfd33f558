import { emailCollection } from '../emails/email.ts'
import type { Store, StoreChange } from '../store/store.ts'
import type { TextColumn } from './text-column.ts'

/** Counts the mails that have more text than their row. */
export class CutMails {
  readonly #store: Store
  readonly #ids: Set<string>
  /** Whether the column may name mails that were removed: by an earlier process, or by a change of many mails. */
  #mayBeRemoved = true

  constructor(store: Store, { cut }: Pick<TextColumn, 'cut'>) {
    this.#store = store
    this.#ids = cut
  }

  noteChange(change: StoreChange): void {
    if (change.op === 'remove') this.#ids.delete(change.id)
    else if (change.op === 'bulk' || change.op === 'gap') this.#mayBeRemoved = true
  }

  async count(): Promise<number> {
    if (this.#mayBeRemoved) {
      // A change during the loop asks for another one.
      this.#mayBeRemoved = false
      try {
        for (const id of this.#ids) if (!(await this.#store.get(emailCollection, id))) this.#ids.delete(id)
      } catch (error) {
        this.#mayBeRemoved = true
        throw error
      }
    }
    return this.#ids.size
  }
}
