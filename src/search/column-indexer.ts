import type { Clock } from '../core/clock.ts'
import { nextTurn } from '../core/machine.ts'
import { emailCollection, type EmailRecord, modifyEmail } from '../emails/email.ts'
import type { Reading } from '../reading/digest.ts'
import type { Store } from '../store/store.ts'
import { CutMails, dropRemoved, isMostlyWaste, ReadAhead, newestId } from './mail-rows.ts'
import { DeferredMails } from './deferred-mails.ts'
import { unreadableReading, type Digests } from './digests.ts'
import type { Heads } from './heads.ts'
import { catchUpMs, type Indexer, unlimited } from './indexer.ts'
import { quietSliceMs, startQuietWork } from './quiet-work.ts'
import { foldBody, searchableHead } from './searchable.ts'
import type { TextColumn } from './text-column.ts'
import { cutMark } from './text-rows.ts'
import { createTries } from './tries.ts'
import { createSequence } from '../core/sequence.ts'

export interface ColumnIndexer extends Indexer {
  /** Reads all mail again, because a row is damaged. */
  readAgain(): void
  /** Lets a search that does not need the texts go first. */
  pause(): void
}

export interface IndexerDeps {
  store: Store
  clock: Clock
  digests: Pick<Digests, 'take'>
  /** Stores the text of every mail. Its cursor is also the position of the indexer. */
  column: TextColumn
  heads: Pick<Heads, 'add'>
  /** Called with true when reading has gone on for some time while no mail arrives, and with false when that ends. */
  onLongWork?: ((isRunning: boolean) => void) | undefined
}

/**
 * Starts to read mail, one at a time in order of arrival, and stores the results of several mails with one write. Capture
 * has priority: the indexer pauses while mail arrives, and if mail arrives without a pause, it reads only for a short slice
 * every second. All unread mail comes after the last row of the column, so the indexer keeps no list: a restart continues at
 * the same place, and a lost column is rebuilt.
 */
export function startIndexer(deps: IndexerDeps): ColumnIndexer {
  const { store, clock, digests, column, heads, onLongWork } = deps
  let isClosed = false
  /** Whether all rows have to be made again. */
  let isStale = false
  /** Whether the rows of an earlier process are known to be undamaged. */
  let isVerified = false
  /** The last mail that was read; its row may not be written yet. */
  let readUpTo = column.cursor
  const tryToRead = createTries(digests)
  const ahead = new ReadAhead(store, column, groupMails)
  const deferred = new DeferredMails(store, column.wasClosed ? '' : column.cursor)
  const cutMails = new CutMails(store, column)
  /** Only one message is read at a time. */
  const inLine = createSequence()

  /**
   * Does the next part of the work.
   *
   * @param options.verifies  Checks a part of the rows of an earlier process first, until all are checked. Default: false.
   * @returns Whether there was work.
   */
  const step = ({ verifies = false } = {}): Promise<boolean> =>
    inLine(async () => {
      if (isClosed) return false
      if (isStale) await rebuild()
      isStale = false
      if (verifies && !isVerified) {
        await verifyPart()
        if (isClosed) return false
        if (!isVerified) return true
      }
      if (await ahead.next()) return readGroup()
      if (!deferred.isKnown) {
        await deferred.lookThrough()
        return true
      }
      const email = await deferred.next()
      if (email) return readDeferred(email)
      if (await isMostlyWaste(store, column)) {
        await rebuild()
        quiet.begin()
      }
      return false
    })

  async function verifyPart(): Promise<void> {
    const until = clock.now() + quietSliceMs
    const checked = await column.verify(() => isClosed || clock.now() >= until)
    if (isClosed) return
    if (checked === 'damaged') readAgain()
    isVerified = checked === 'intact'
  }

  /**
   * Reads the next mails without a row one after the other, and stores what was found with one write: a write for each
   * would cost as much as reading a small mail.
   *
   * @returns False if the indexer was closed meanwhile; then nothing is stored.
   * @throws The error of reading or storing one of them, after the mails before it are stored.
   */
  async function readGroup(): Promise<boolean> {
    const group: { email: EmailRecord; reading: Reading | null }[] = []
    let failure: { error: unknown } | null = null
    let bytes = 0
    const until = clock.now() + groupMs
    readUpTo = column.cursor
    do {
      const email = ahead.after(readUpTo)
      if (!email) break
      readUpTo = email.id
      bytes += email.message?.size_bytes ?? 0
      try {
        group.push({ email, reading: await readOnce(email) })
      } catch (error) {
        failure = { error }
      }
      if (isClosed) return false
    } while (group.length < groupMails && bytes < groupBytes && clock.now() < until && !failure)
    const kept = await Promise.allSettled(group.map(({ email, reading }) => keepDigest(email, reading)))
    for (const [nth, { email, reading }] of group.entries()) {
      const outcome = kept[nth]
      if (outcome?.status === 'rejected') throw outcome.reason
      // The row comes last: a mail without a row is read again after a crash.
      await heads.add(email, column.cursor)
      const { body, isCut } = foldBody(reading ?? unreadableReading)
      if (await column.append(email.id, searchableHead(email), isCut ? body + cutMark : body))
        await dropRemoved(store, column)
    }
    if (failure) throw failure.error
    await nextTurn()
    return true
  }

  async function readDeferred(email: EmailRecord): Promise<boolean> {
    const reading = await readOnce(email)
    if (isClosed) return false
    if (!reading) return true
    await keepDigest(email, reading)
    // The row of a deferred mail is in the middle of the column and has no text, so the whole column is rebuilt.
    if (deferred.delete(email.id)) isStale = true
    await nextTurn()
    return true
  }

  /** Stores what lists show of a mail. Does nothing if the mail was not read, or if its record has this already. */
  async function keepDigest(email: EmailRecord, reading: Reading | null): Promise<void> {
    if (!reading || (email.snippet !== null && !email.undigested)) return
    const { snippet, attachment_count } = reading
    await modifyEmail(store, email.id, (stored) => ({
      ...stored,
      snippet,
      attachment_count,
      undigested: undefined,
    }))
  }

  /**
   * Reads a mail. An error of the store may be temporary, so the same mail is tried again first. After several tries it is
   * deferred: it gets a row without text, and is tried again after all other mails.
   *
   * @returns null if the mail is deferred.
   */
  async function readOnce(email: EmailRecord): Promise<Reading | null> {
    const result = await tryToRead(email)
    if (!('error' in result)) return result
    const hasRow = email.id <= column.cursor
    if (hasRow) deferred.moveToEnd(email.id)
    if (hasRow || !result.isLast) throw result.error
    deferred.add(email.id)
    return null
  }

  /** Removes all rows; the mails are read again. */
  async function rebuild(): Promise<void> {
    await column.clear()
    deferred.clear()
    ahead.clear()
  }

  function readAgain(): void {
    isStale = true
    quiet.begin()
  }

  const quiet = startQuietWork({ clock, step: () => step(), onLongWork })
  const stopListening = store.changes(
    (change) => {
      ahead.noteChange(change)
      cutMails.noteChange(change)
      if (change.op !== 'gap' && change.op !== 'insert') return
      // An older state was restored, so the rows are no longer in the order of the mails.
      if (change.op === 'insert' && change.id <= readUpTo) isStale = true
      quiet.arrived()
    },
    { of: emailCollection },
  )

  async function countWithoutRow(): Promise<number> {
    const all = await store.count(emailCollection)
    return all - (await store.count(emailCollection, { until: [column.cursor] }))
  }

  return {
    async catchUp({ complete = false, mostMs = catchUpMs, mostMails = unlimited, signal } = {}) {
      const until = clock.now() + mostMs
      const isFarBehind = !complete && (await countWithoutRow()) > mostMails
      try {
        // Mail that arrives meanwhile is not included, because it may arrive faster than it can be read.
        const newest = complete ? await newestId(store) : ''
        const isBehind = (): boolean =>
          column.cursor < newest ||
          (complete && (!isVerified || !deferred.isKnown || deferred.size > 0 || isStale))
        while (
          !isFarBehind &&
          !signal?.aborted &&
          (await step({ verifies: complete })) &&
          (isBehind() || clock.now() < until)
        );
      } catch {
        // A search must work even if nothing can be stored.
      }
      if (complete && !isVerified) return store.count(emailCollection)
      return (await countWithoutRow()) + (await deferred.count())
    },
    countCut: () => cutMails.count(),
    readAgain,
    pause: () => quiet.pause(),
    async close() {
      isClosed = true
      quiet.close()
      stopListening()
      // Rows without text must not be used at the next start.
      await inLine(async () => deferred.size > 0 && column.clear())
      return deferred.isKnown
    },
  }
}

/** The limits for the mails that are read before one write: their number, their bytes and the time. */
const groupMails = 16
const groupBytes = 256 * 1024
const groupMs = 4
