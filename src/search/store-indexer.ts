import { nextTurn } from '../core/machine.ts'
import { createPacer } from '../core/slices.ts'
import { emailCollection } from '../emails/email.ts'
import type { Texts } from '../store/texts.ts'
import { catchUpMs, type CatchUpOptions, type Indexer } from './indexer.ts'
import type { IndexerDeps } from './column-indexer.ts'
import { type QuietWork, startQuietWork } from './quiet-work.ts'
import { groupsOf, mailsOf, newestId, withMessages } from './mails.ts'
import { type StepOutcome, TextProgress } from './text-progress.ts'
import { type ReadMail, TextWriter } from './text-writer.ts'
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
  readonly #progress: TextProgress
  #isReading = false
  #isClosed = false

  constructor(deps: StoreIndexerDeps) {
    this.#deps = deps
    const { store, texts, clock, digests, onLongWork } = deps
    const { leadership } = store
    this.#writer = new TextWriter(store, texts)
    this.#tryToRead = createTries(digests)
    this.#progress = new TextProgress(store, texts)
    const step = async (): Promise<boolean> => leadership.isMine() && (await this.#readNext())
    this.#quiet = startQuietWork({ clock, step, onLongWork })
    const stopChanges = store.changes(
      (change) => {
        if (this.#progress.noteChange(change)) this.#quiet.arrived()
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
    const { store, texts } = this.#deps
    // A search must work even if nothing can be stored.
    const isAll = await this.#readFor(options).catch(() => false)
    // Until the next search here, the leader reads them.
    if (!store.leadership.isMine()) this.#progress.forgetAhead()
    return isAll ? 0 : await texts.countMissing(emailCollection)
  }

  /** @returns Whether no mail without a text is left. */
  async #readFor(options: CatchUpOptions): Promise<boolean> {
    const { complete, maxMs = catchUpMs, maxMails = Number.POSITIVE_INFINITY, signal } = options
    const { store, texts, clock } = this.#deps
    const deadline = clock.now() + maxMs
    const newest = complete ? await newestId(store) : null
    let isCounted = complete || maxMails === Number.POSITIVE_INFINITY
    while (!signal?.aborted) {
      // Once, and only where many are left, because counting takes a while.
      if (!isCounted && this.#progress.hasMore) {
        isCounted = true
        if ((await texts.countMissing(emailCollection)) > maxMails) return false
      }
      if (!(await this.#readNext())) return true
      const isBehind = newest !== null && !this.#progress.isReadTo(newest)
      if (!isBehind && clock.now() >= deadline) return false
    }
    return false
  }

  countCut(): Promise<number> {
    return this.#deps.texts.countCut(emailCollection)
  }

  /** An id up to which every mail has its text, and after which few mails have one; `isAll` if it was the newest one. */
  async readTo(): Promise<{ readonly id: string; readonly isAll: boolean }> {
    this.#quiet.pause()
    // A search by members does not wait for the mails that are being read.
    const isSkipped = !this.#isReading && (await this.#inLine(() => this.#progress.skipRead()))
    const { id, isAll } = this.#progress.readTo()
    return { id, isAll: isSkipped && isAll }
  }

  async close(): Promise<boolean> {
    this.#isClosed = true
    this.#quiet.close()
    this.#stopListening()
    // Waits for the step that is running.
    await this.#inLine(async () => {})
    return true
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
    const progress = this.#progress
    const missing = await progress.next()
    if (missing.length === 0) await this.#writer.settle()
    const ids = missing.length > 0 ? missing : progress.nextDeferred()
    if (ids.length === 0 || this.#isClosed) return false
    const outcome = await this.#readAll(ids).catch((error: unknown): StepOutcome => {
      return { tried: ids, failed: new Map(ids.map((id) => [id, error])) }
    })
    progress.advance(ids, outcome)
    const [failure] = outcome.failed
    if (failure) throw failure[1]
    await nextTurn()
    return true
  }

  /** Reads the first of these mails, for a limited time, and stores their texts. */
  async #readAll(ids: readonly string[]): Promise<StepOutcome> {
    const { store, texts, clock } = this.#deps
    const deadline = clock.now() + maxStepMs
    const failed = new Map<string, unknown>()
    const emails = await mailsOf(store, ids)
    const found = new Set(emails.map(({ id }) => id))
    for (const id of ids) if (!found.has(id)) this.#progress.undefer(id)
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
        else if (this.#progress.isDeferred(email.id) || !reading.isLast) failed.set(email.id, reading.error)
        else this.#progress.defer(email.id)
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
    for (const { email } of read) if (!errors.has(email.id)) this.#progress.undefer(email.id)
  }
}

/** For how long about a step reads. */
const maxStepMs = 250
