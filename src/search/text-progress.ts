import { emailCollection } from '../emails/email.ts'
import type { Store, StoreChange } from '../store/store.ts'
import type { Texts } from '../store/texts.ts'
import { newestId } from './mails.ts'

/** The mails that a step tried, in order, and the errors of those to be tried again, by id. */
export interface StepOutcome {
  readonly tried: readonly string[]
  readonly failed: ReadonlyMap<string, unknown>
}

/**
 * How far the mails of a store have their text.
 *
 * Every mail up to the cursor has its text or is deferred, except those that were stored since the last look-up: other
 * instances may store one below the cursor, so that look-up moves it back. {@link TextProgress.advance} and
 * {@link TextProgress.skipRead} move it on. It is not known at the start and after missed changes.
 *
 * `noteChange` may be called at any time. All other methods that change something are called one after the other.
 */
export class TextProgress {
  readonly #store: Store
  readonly #texts: Texts
  /** null if it is not known. */
  #cursor: string | null = null
  /** The lowest id that was stored since the last look-up. */
  #lowestNew: string | null = null
  /** The next mails without a text after the cursor; empty until they are looked up. */
  #ahead: string[] = []
  /** Mails without a text, because the store failed at each try; in the order in which they are tried again. */
  readonly #deferred = new Set<string>()

  constructor(store: Store, texts: Texts) {
    this.#store = store
    this.#texts = texts
  }

  /** @returns Whether there may be mail without a text now. */
  noteChange(change: StoreChange): boolean {
    if (change.op === 'gap') this.#cursor = null
    else if (change.op !== 'insert') return false
    else if (this.#lowestNew === null || change.id < this.#lowestNew) this.#lowestNew = change.id
    return true
  }

  /** Whether more mails without a text are known than those of the last step. */
  get hasMore(): boolean {
    return this.#ahead.length > 0
  }

  /** Forgets the next mails, so that they are looked up again: another instance may read them meanwhile. */
  forgetAhead(): void {
    this.#ahead = []
  }

  /** Whether every mail up to this one has its text. */
  isReadTo(id: string): boolean {
    return this.#cursor !== null && this.#cursor >= id && this.#deferred.size === 0
  }

  /** The mails for the next step, in order, without the deferred ones. */
  async next(): Promise<string[]> {
    const cursor = await this.#place()
    if (this.#ahead.length === 0)
      this.#ahead = await this.#texts.missing(emailCollection, cursor, maxAhead + this.#deferred.size)
    const next = this.#ahead.filter((id) => !this.#deferred.has(id))
    this.#ahead = next.slice(maxStepMails)
    return next.slice(0, maxStepMails)
  }

  /** The deferred mail for the next step; `[]` without one. */
  nextDeferred(): string[] {
    return [...this.#deferred].slice(0, 1)
  }

  isDeferred(id: string): boolean {
    return this.#deferred.has(id)
  }

  defer(id: string): void {
    this.#deferred.add(id)
  }

  /** Call it for mails whose text is stored, or which are gone. */
  undefer(id: string): void {
    this.#deferred.delete(id)
  }

  /** Moves the cursor after a step. @param ids  Those that the step was given. */
  advance(ids: readonly string[], { tried, failed }: StepOutcome): void {
    // Added at the end again, so that the next try is for another deferred mail.
    for (const id of failed.keys()) if (this.#deferred.delete(id)) this.#deferred.add(id)
    const again = tried.findIndex((id) => failed.has(id) && !this.#deferred.has(id))
    this.#ahead = again < 0 ? [...ids.slice(tried.length), ...this.#ahead] : []
    const last = (again < 0 ? tried : tried.slice(0, again)).at(-1)
    // Without a cursor, changes were missed meanwhile: mails before the last one may have no text again.
    if (last !== undefined && this.#cursor !== null && last > this.#cursor) this.#cursor = last
  }

  /** Moves the cursor over mails that another instance has read. @returns Whether all mails have their text. */
  async skipRead(): Promise<boolean> {
    const from = await this.#place()
    const newest = await newestId(this.#store)
    const [missing] = await this.#texts.missing(emailCollection, from, 1)
    const to = missing === undefined ? newest : previous(missing)
    if (to > from) {
      this.#cursor = to
      this.#ahead = []
    }
    return missing === undefined
  }

  /** An id up to which every mail has its text; `isAll` if that holds for all mails up to the cursor. */
  readTo(): { readonly id: string; readonly isAll: boolean } {
    const open = [...this.#deferred, ...(this.#lowestNew === null ? [] : [this.#lowestNew])]
    const id = open.reduce((least, id) => (id <= least ? previous(id) : least), this.#cursor ?? '')
    return { id, isAll: open.length === 0 }
  }

  /** Sets the cursor if it is not known, and back to where another instance stored a mail. */
  async #place(): Promise<string> {
    // A new mail may belong between those that were looked up.
    if (this.#cursor === null || this.#lowestNew !== null) this.#ahead = []
    let cursor = this.#cursor ?? (await this.#endOfRead())
    // The ids in between are checked again.
    if (this.#lowestNew !== null && this.#lowestNew <= cursor) cursor = previous(this.#lowestNew)
    this.#lowestNew = null
    this.#cursor = cursor
    return cursor
  }

  async #endOfRead(): Promise<string> {
    const newest = await newestId(this.#store)
    return (await this.#texts.countMissing(emailCollection)) === 0 ? newest : ''
  }
}

/** The id without its last character. It sorts before the id itself, and after every id that is lower by an earlier character. */
const previous = (id: string): string => id.slice(0, -1)

/** How many mails are looked up at once, because a look-up takes a while, and how many of them are read in one step. */
const maxAhead = 1024
const maxStepMails = 256
