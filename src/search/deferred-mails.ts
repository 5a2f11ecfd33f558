import { emailCollection, type EmailRecord } from '../emails/email.ts'
import type { Store } from '../store/store.ts'

/**
 * The mails whose row in the text column has no text, because the store failed at each attempt. They are read again after
 * all other mails. Here a mail and its row have the same id; the rows themselves are not read.
 *
 * Its methods that change something are called one after the other, within the sequence of the indexer: a `clear` during
 * `lookThrough` would be lost.
 */
export class DeferredMails {
  readonly #store: Store
  /** In the order in which they are tried again. */
  readonly #ids: Set<string> = new Set()
  /** The rows up to `end` may include mails that an earlier process had deferred. Those up to `done` were looked through. */
  #unsure: { readonly done: string | null; readonly end: string } | null

  /**
   * @param unsureTo  The last row of an earlier process that crashed, so that any of its rows may have no text; `""`
   *   for none.
   */
  constructor(store: Store, unsureTo: string) {
    this.#store = store
    this.#unsure = unsureTo === '' ? null : { done: null, end: unsureTo }
  }

  get size(): number {
    return this.#ids.size
  }

  /** Whether all deferred mails are known. */
  get isKnown(): boolean {
    return this.#unsure === null
  }

  add(id: string): void {
    this.#ids.add(id)
  }

  /** @returns Whether the mail was deferred. */
  delete(id: string): boolean {
    return this.#ids.delete(id)
  }

  /** Lets the other mails be tried first. */
  moveToEnd(id: string): void {
    if (this.#ids.delete(id)) this.#ids.add(id)
  }

  clear(): void {
    this.#ids.clear()
    this.#unsure = null
  }

  /** Looks for deferred mails among the next rows of an earlier process. Their records are read, so only some at a time. */
  async lookThrough(): Promise<void> {
    if (!this.#unsure) return
    const { done, end } = this.#unsure
    const after = done === null ? {} : { after: [done] }
    const ids = await this.#store.ids(emailCollection, { ...after, until: [end], limit: lookAtOnce })
    const last = ids.at(-1)
    if (last !== undefined) {
      const where = { flag: 'undigested' }
      for (const id of await this.#store.ids(emailCollection, { ...after, until: [last], where }))
        this.add(id)
    }
    this.#unsure = last === undefined ? null : { done: last, end }
  }

  /** The next one that still exists. */
  async next(): Promise<EmailRecord | null> {
    for (const id of this.#ids) {
      const email = await this.#store.get(emailCollection, id)
      if (email) return email
      this.#ids.delete(id)
    }
    return null
  }

  /** How many mails are deferred, or may be. */
  async count(): Promise<number> {
    if (!this.#unsure) return this.size
    const { done, end } = this.#unsure
    const upTo = (id: string): Promise<number> => this.#store.count(emailCollection, { until: [id] })
    return this.size + (await upTo(end)) - (done === null ? 0 : await upTo(done))
  }
}

const lookAtOnce = 1000
