import type { Clock } from '../core/clock.ts'
import { nextTurn } from '../core/machine.ts'
import { type EmailRecord, modifyEmail, needsDigest } from '../emails/email.ts'
import type { DigestReading } from '../reading/digest.ts'
import type { Store, StoreChange } from '../store/store.ts'
import { DeferredMails } from './deferred-mails.ts'
import { unreadableReading, type Digests } from './digests.ts'
import { dropRemoved } from './column-upkeep.ts'
import type { Heads } from './heads.ts'
import { mailsAfter } from './mails.ts'
import { foldBody, searchableHead } from './searchable.ts'
import type { TextColumn } from './text-column.ts'
import { cutMark } from './text-rows.ts'
import { createTries } from './tries.ts'

export interface ColumnWriterDeps {
  store: Store
  clock: Clock
  digests: Pick<Digests, 'take'>
  /** Stores the text of every mail. Its cursor is also the position of the writer. */
  column: TextColumn
  heads: Pick<Heads, 'add'>
}

/** Reads mails in order of arrival, and adds their rows to the columns of this process. */
export class ColumnWriter {
  readonly #deps: ColumnWriterDeps
  readonly deferred: DeferredMails
  readonly #tryToRead: ReturnType<typeof createTries>
  /** The next mails, read together: older records are in files, where many take little longer than one. */
  #ahead: EmailRecord[] = []
  /** The last mail that was tried: it may have failed, or its row is not written yet. */
  #tried: string

  constructor(deps: ColumnWriterDeps) {
    this.#deps = deps
    const { store, digests, column } = deps
    this.deferred = new DeferredMails(store, column.wasClosed ? '' : column.cursor)
    this.#tryToRead = createTries(digests)
    this.#tried = column.cursor
  }

  /**
   * Reads the next mails without a row one after the other, and stores what was found with one write: a write for each
   * would cost as much as reading a small mail.
   *
   * @param isClosed  Asked after each mail; if it is true, nothing is stored.
   * @returns Whether there was a mail.
   * @throws The error of reading or storing one of them, after the mails before it are stored.
   */
  async writeNext(isClosed: () => boolean): Promise<boolean> {
    const { store, clock, column } = this.#deps
    const group: ReadMail[] = []
    let failure: { error: unknown } | null = null
    let bytes = 0
    this.#tried = column.cursor
    this.#ahead = this.#ahead.filter(({ id }) => id > column.cursor)
    if (this.#ahead.length === 0) this.#ahead = (await mailsAfter(store, column.cursor, groupMails)).records
    const deadline = clock.now() + groupMs
    for (;;) {
      const email = this.#ahead.find(({ id }) => id > this.#tried)
      if (!email) break
      this.#tried = email.id
      bytes += email.message?.size_bytes ?? 0
      try {
        group.push({ email, reading: await this.#read(email) })
      } catch (error) {
        failure = { error }
      }
      if (isClosed()) return true
      if (failure || bytes >= groupBytes || clock.now() >= deadline) break
    }
    await this.#writeRows(group)
    if (failure) throw failure.error
    if (group.length > 0) await nextTurn()
    return group.length > 0
  }

  /** Reads a deferred mail again. @returns Whether it has its text now, so that the column must be rebuilt for it. */
  async readDeferred(email: EmailRecord, isClosed: () => boolean): Promise<boolean> {
    const reading = await this.#read(email)
    if (isClosed() || !reading) return false
    await this.#keepDigest(email, reading)
    await nextTurn()
    return this.deferred.delete(email.id)
  }

  /** Removes all rows; the mails are read again. */
  async clear(): Promise<void> {
    await this.#deps.column.clear()
    this.deferred.clear()
    this.#ahead = []
  }

  /** @returns Whether an older state was restored, so that the rows are no longer in the order of the mails. */
  noteChange(change: StoreChange): boolean {
    if (change.op === 'remove') this.#ahead = this.#ahead.filter(({ id }) => id !== change.id)
    const lastAhead = this.#ahead.at(-1)?.id ?? ''
    // A restored mail may belong between the next ones.
    const isBetween = change.op === 'insert' && change.id < lastAhead
    if (change.op === 'gap' || (change.op === 'bulk' && change.removed > 0) || isBetween) this.#ahead = []
    return change.op === 'insert' && change.id <= this.#tried
  }

  async #writeRows(group: readonly ReadMail[]): Promise<void> {
    const { store, column, heads } = this.#deps
    const digests = await Promise.allSettled(
      group.map(({ email, reading }) => this.#keepDigest(email, reading)),
    )
    for (const [nth, { email, reading }] of group.entries()) {
      const outcome = digests[nth]
      if (outcome?.status === 'rejected') throw outcome.reason
      // The row comes last: a mail without a row is read again after a crash.
      await heads.add(email, column.cursor)
      const { body, isCut } = foldBody(reading ?? unreadableReading)
      if (await column.append(email.id, searchableHead(email), isCut ? body + cutMark : body))
        await dropRemoved(store, column)
    }
  }

  /** Stores what lists show of a mail. Does nothing if the mail was not read, or if its record has this already. */
  async #keepDigest(email: EmailRecord, reading: DigestReading | null): Promise<void> {
    if (!reading || !needsDigest(email)) return
    const { snippet, attachment_count } = reading
    await modifyEmail(this.#deps.store, email.id, (stored) => {
      return { ...stored, snippet, attachment_count, undigested: undefined }
    })
  }

  /**
   * Reads a mail. An error of the store may be temporary, so the same mail is tried again first. After several tries it is
   * deferred: it gets a row without text, and is tried again after all other mails.
   *
   * @returns null if the mail is deferred.
   */
  async #read(email: EmailRecord): Promise<DigestReading | null> {
    const result = await this.#tryToRead(email)
    if (!('error' in result)) return result
    const hasRow = email.id <= this.#deps.column.cursor
    if (hasRow) this.deferred.moveToEnd(email.id)
    if (hasRow || !result.isLast) throw result.error
    this.deferred.add(email.id)
    return null
  }
}

/** A mail, and what was read of it; null if it is deferred. */
interface ReadMail {
  readonly email: EmailRecord
  readonly reading: DigestReading | null
}

/** The limits for the mails that are read before one write: their number, their bytes and the time. */
const groupMails = 16
const groupBytes = 256 * 1024
const groupMs = 4
