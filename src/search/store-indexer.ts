import { nextTurn } from '../core/machine.ts'
import { createPacer } from '../core/slices.ts'
import { emailCollection } from '../emails/email.ts'
import type { Texts } from '../store/texts.ts'
import { catchUpMs, type CatchUpOptions, type Indexer, unlimited } from './indexer.ts'
import type { IndexerDeps } from './column-indexer.ts'
import { type QuietWork, startQuietWork } from './quiet-work.ts'
import { groupsOf, mailsOf, newestId } from './mail-rows.ts'
import { type ReadMail, TextWriter, withMessages } from './text-writer.ts'
import { createTries } from './tries.ts'
import { createSequence } from '../core/sequence.ts'

export interface StoreIndexerDeps extends Pick<IndexerDeps, 'store' | 'clock' | 'digests' | 'onLongWork'> {
  texts: Texts
}

/**
 * Reads mail for a store that keeps the text of mail itself, some at a time in order of arrival. Of the instances that
 * share the store, the leader does it in the background. A search on any instance reads the texts that are missing.
 */
export class StoreIndexer implements Indexer {
  readonly #deps: StoreIndexerDeps
  readonly #writer: TextWriter
  readonly #tryToRead: ReturnType<typeof createTries>
  readonly #inLine = createSequence()
  readonly #quiet: QuietWork
  readonly #stopListening: () => void
  /** Every mail up to this id has its text, or is deferred; null if that is not known. */
  #cursor: string | null = null
  /** The lowest id that was stored since the last step. Other instances may store one below the cursor. */
  #lowestNew: string | null = null
  /** Mails without a text, because the store failed at each try. */
  readonly #deferred = new Set<string>()
  /** Whether the last step left mails without a text. */
  #hasMore = false
  #isReading = false
  #isClosed = false

  constructor(deps: StoreIndexerDeps) {
    this.#deps = deps
    const { store, texts, clock, digests, onLongWork } = deps
    const { leadership } = store
    this.#writer = new TextWriter(store, texts)
    this.#tryToRead = createTries(digests)
    const step = async (): Promise<boolean> => leadership.isMine() && (await this.#readNext())
    this.#quiet = startQuietWork({ clock, step, onLongWork })
    const stopChanges = store.changes(
      (change) => {
        if (change.op !== 'gap' && change.op !== 'insert') return
        if (change.op === 'gap') this.#cursor = null
        else if (this.#lowestNew === null || change.id < this.#lowestNew) this.#lowestNew = change.id
        this.#quiet.arrived()
      },
      { of: emailCollection },
    )
    const stopLeading = leadership.onMine(() => this.#quiet.begin())
    this.#stopListening = () => {
      stopChanges()
      stopLeading()
    }
  }

  async catchUp(options: CatchUpOptions = {}): Promise<number> {
    const { complete = false, maxMs = catchUpMs, maxMails = unlimited, signal } = options
    const { store, texts, clock } = this.#deps
    const deadline = clock.now() + maxMs
    let isDone = false
    try {
      let isCounted = complete || maxMails === unlimited
      const newest = complete ? await newestId(store) : ''
      const isBehind = (): boolean =>
        complete && (this.#cursor === null || this.#cursor < newest || this.#deferred.size > 0)
      while (!isDone && !signal?.aborted) {
        // Once, and only where many are left, because counting takes a while.
        if (!isCounted && this.#hasMore) {
          isCounted = true
          if ((await texts.countMissing(emailCollection)) > maxMails) break
        }
        isDone = !(await this.#readNext())
        if (!isBehind() && clock.now() >= deadline) break
      }
    } catch {
      // A search must work even if nothing can be stored.
    }
    // Until the next search here, the leader reads them.
    if (!store.leadership.isMine()) this.#hasMore = false
    return isDone ? 0 : await texts.countMissing(emailCollection)
  }

  countCut(): Promise<number> {
    return this.#deps.texts.countCut(emailCollection)
  }

  /** An id up to which every mail has its text, and after which few mails have one; `isAll` if it was the newest one. */
  async readTo(): Promise<{ readonly id: string; readonly isAll: boolean }> {
    this.#quiet.pause()
    // A search by members does not wait for the mails that are being read.
    const isAll = !this.#isReading && (await this.#inLine(() => this.#skipRead()))
    const lowest = this.#lowestNew
    const open = [...this.#deferred, ...(lowest === null ? [] : [lowest])]
    const id = open.reduce((least, id) => (id <= least ? previous(id) : least), this.#cursor ?? '')
    return { id, isAll: isAll && open.length === 0 }
  }

  async close(): Promise<boolean> {
    this.#isClosed = true
    this.#quiet.close()
    this.#stopListening()
    await this.#inLine(async () => {})
    return true
  }

  /** Moves the cursor over mails that another instance has read. @returns Whether all mails have their text. */
  async #skipRead(): Promise<boolean> {
    const { store, texts } = this.#deps
    const from = await this.#place()
    const newest = await newestId(store)
    const [missing] = await texts.missing(emailCollection, from, 1)
    const to = missing === undefined ? newest : previous(missing)
    if (to > from) this.#cursor = to
    return missing === undefined
  }

  /** Reads the next mails without a text, with few round trips to the database. @returns Whether there were any. */
  #readNext(): Promise<boolean> {
    return this.#inLine(async () => {
      if (this.#isClosed) return false
      this.#isReading = true
      try {
        return await this.#readSome()
      } finally {
        this.#isReading = false
      }
    })
  }

  async #readSome(): Promise<boolean> {
    const missing = await this.#nextMissing()
    if (missing.length === 0) await this.#writer.settle()
    const ids = missing.length > 0 ? missing : [...this.#deferred].slice(0, 1)
    if (ids.length === 0 || this.#isClosed) return false
    const { tried, failed } = await this.#readAll(ids).catch((error: unknown) => {
      return { tried: ids, failed: new Map(ids.map((id) => [id, error])) }
    })
    // Added at the end again, so that the next try is for another deferred mail.
    for (const id of failed.keys()) if (this.#deferred.delete(id)) this.#deferred.add(id)
    const again = tried.findIndex((id) => failed.has(id) && !this.#deferred.has(id))
    const done = again < 0 ? tried : tried.slice(0, again)
    const last = done.at(-1)
    // Without a cursor, changes were missed meanwhile: mails before the last one may have no text again.
    if (last !== undefined && this.#cursor !== null && last > this.#cursor) this.#cursor = last
    for (const error of failed.values()) throw error
    await nextTurn()
    return true
  }

  async #nextMissing(): Promise<string[]> {
    const limit = maxStepMails + this.#deferred.size + 1
    const missing = await this.#deps.texts.missing(emailCollection, await this.#place(), limit)
    const next = missing.filter((id) => !this.#deferred.has(id))
    this.#hasMore = next.length > maxStepMails
    return next.slice(0, maxStepMails)
  }

  /** Sets the cursor if it is not known, and back to where another instance stored a mail. */
  async #place(): Promise<string> {
    let cursor = this.#cursor ?? (await this.#endOfRead())
    // The ids in between are checked again.
    if (this.#lowestNew !== null && this.#lowestNew <= cursor) cursor = previous(this.#lowestNew)
    this.#lowestNew = null
    this.#cursor = cursor
    return cursor
  }

  /** An id up to which every mail has its text. */
  async #endOfRead(): Promise<string> {
    const newest = await newestId(this.#deps.store)
    return (await this.#deps.texts.countMissing(emailCollection)) === 0 ? newest : ''
  }

  /** Reads the first of these mails, for a limited time, and stores their texts. */
  async #readAll(ids: readonly string[]): Promise<Outcome> {
    const { store, texts, clock } = this.#deps
    const deadline = clock.now() + maxStepMs
    const failed = new Map<string, unknown>()
    const emails = await mailsOf(store, ids)
    const found = new Set(emails.map(({ id }) => id))
    for (const id of ids) if (!found.has(id)) this.#deferred.delete(id)
    // While the database stores what was read, the next mails are parsed.
    let keeping: Promise<unknown> = Promise.resolve()
    let tried = ids
    for (const group of groupsOf(emails)) {
      const [first] = group
      if (first && first !== emails[0] && clock.now() >= deadline) {
        tried = ids.slice(0, ids.indexOf(first.id))
        break
      }
      const read: ReadMail[] = []
      const pacer = createPacer(1)
      for (const { email, message } of await withMessages(texts, group)) {
        if (this.#isClosed) break
        const reading = await this.#tryToRead(email, message)
        if (!('error' in reading)) read.push({ email, reading })
        else if (this.#deferred.has(email.id) || !reading.isLast) failed.set(email.id, reading.error)
        else this.#deferred.add(email.id)
        if (pacer.due()) await pacer.turn()
      }
      await keeping
      if (this.#isClosed) return { tried, failed }
      keeping = this.#keep(read, failed)
    }
    await keeping
    return { tried, failed }
  }

  /** Stores the texts of mails. Adds the errors to `failed`, by id. */
  async #keep(read: readonly ReadMail[], failed: Map<string, unknown>): Promise<void> {
    const errors = await this.#writer.write(read)
    for (const [id, error] of errors) failed.set(id, error)
    // Only now: until the text is stored, a search by members must find the mail by its record.
    for (const { email } of read) if (!errors.has(email.id)) this.#deferred.delete(email.id)
  }
}

/** A text that sorts before this id, and after every lower id that differs before the last character. */
const previous = (id: string): string => id.slice(0, -1)

/** The mails that were tried before the time was over, in order, and the errors of those to be tried again, by id. */
interface Outcome {
  readonly tried: readonly string[]
  readonly failed: ReadonlyMap<string, unknown>
}

/** How many mails are read in one step, and for how long about. */
const maxStepMails = 256
const maxStepMs = 250
