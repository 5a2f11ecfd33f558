import type { Clock } from '../core/clock.ts'
import { emailCollection, type EmailRecord, modifyEmail } from '../emails/email.ts'
import type { Where } from '../store/queries.ts'
import type { Store } from '../store/store.ts'
import type { Reading } from '../reading/digest.ts'
import { catchUpMs, type Indexer, unlimited } from './indexer.ts'
import { unreadable, type Digests } from './digests.ts'
import type { Heads } from './heads.ts'
import { dropRemoved, isMostlyWaste, mailsWithoutRow, stillNext } from './mail-rows.ts'
import { foldBody, searchableHead } from './searchable.ts'
import { sliceMs, startQuietWork } from './quiet-work.ts'
import type { TextColumn } from './text-column.ts'
import { cutMark } from './text-rows.ts'
import { createTries } from './tries.ts'
import { nextTurn } from '../core/machine.ts'
import { createSequence } from '../core/shared-work.ts'

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
  let isStale = false
  const tryToRead = createTries(digests)
  /** The next mails without a row. Older mail is in files, where many records take little longer to read than one. */
  let ahead: EmailRecord[] = []
  /** The last mail that was read; its row may not be written yet. */
  let readUpTo = column.cursor
  /** Mails whose row has no text, because the store failed at each attempt. */
  const deferred = new Set<string>()
  /**
   * If an earlier process crashed, its rows may include mails that it had deferred. The rows up to `done` were checked;
   * null if there are none, or if all were checked.
   */
  let unsure: { done: string; readonly end: string } | null =
    column.wasClosed || column.cursor === '' ? null : { done: '', end: column.cursor }
  /** Whether the rows of an earlier process are known to be undamaged. */
  let isVerified = false
  /** Whether `column.cut` may have mails that were removed: by an earlier process, or by a change of many mails. */
  let mayBeRemoved = true
  /** Only one message is read at a time. */
  const inLine = createSequence()

  /**
   * Reads the next unread mails.
   *
   * @param isComplete  Checks a part of the column instead, until all of it is checked. Default: false.
   * @returns Whether there was work.
   */
  const digestNext = (isComplete = false): Promise<boolean> =>
    inLine(async () => {
      if (isClosed) return false
      if (isStale) await rebuild()
      isStale = false
      if (isComplete && !isVerified) {
        const pause = clock.now() + sliceMs
        const checked = await column.verify(() => isClosed || clock.now() >= pause)
        if (isClosed) return false
        if (checked === 'damaged') readAgain()
        isVerified = checked === 'intact'
        if (!isVerified) return true
      }
      if (await nextWithoutRow()) return readGroup()
      if (unsure) {
        await lookThrough(unsure)
        return true
      }
      const email = await nextDeferred()
      if (!email) {
        if (await isMostlyWaste(store, column)) {
          await rebuild()
          quiet.begin()
        }
        return false
      }
      const reading = await readOnce(email)
      if (isClosed) return false
      if (!reading) return true
      await keepDigest(email, reading)
      // The row of a deferred mail is in the middle of the column and has no text, so the whole column is rebuilt.
      if (deferred.delete(email.id)) isStale = true
      await nextTurn()
      return true
    })

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
      const email = ahead.find(({ id }) => id > readUpTo)
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
      const { body, isCut } = foldBody(reading ?? unreadable)
      if (await column.append(email.id, searchableHead(email), isCut ? body + cutMark : body))
        await dropRemoved(store, column)
    }
    if (failure) throw failure.error
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
    if (email.id <= column.cursor) {
      // Moved to the end, so that the next try is for another deferred mail.
      if (deferred.delete(email.id)) deferred.add(email.id)
      throw result.error
    }
    if (!result.isLast) throw result.error
    deferred.add(email.id)
    return null
  }

  async function nextWithoutRow(): Promise<EmailRecord | undefined> {
    while (ahead[0] && ahead[0].id <= column.cursor) ahead.shift()
    if (ahead.length === 0) ahead = (await mailsWithoutRow(store, column, readAhead)).records
    return ahead[0]
  }

  /** Removes all rows; the mails are read again. */
  async function rebuild(): Promise<void> {
    await column.clear()
    deferred.clear()
    ahead = []
    unsure = null
  }

  function readAgain(): void {
    isStale = true
    quiet.begin()
  }

  /** Looks for deferred mails among the next rows of an earlier process. Their records are read, so only some at a time. */
  async function lookThrough({ done, end }: { done: string; end: string }): Promise<void> {
    const after = done === '' ? {} : { after: [done] }
    const last = (await store.ids(emailCollection, { ...after, until: [end], limit: lookAtOnce })).at(-1)
    if (last !== undefined) {
      const where: Where = { flag: 'undigested' }
      for (const id of await store.ids(emailCollection, { ...after, until: [last], where })) deferred.add(id)
    }
    unsure = last === undefined ? null : { done: last, end }
  }

  async function nextDeferred(): Promise<EmailRecord | null> {
    for (const id of deferred) {
      const email = await store.get(emailCollection, id)
      if (email) return email
      deferred.delete(id)
    }
    return null
  }

  async function newestId(): Promise<string> {
    return (await store.page(emailCollection, { direction: 'desc', limit: 1 })).records[0]?.id ?? ''
  }

  const quiet = startQuietWork({ clock, step: () => digestNext(), onLongWork })
  const stopListening = store.changes(
    (change) => {
      if (ahead.length > 0) ahead = stillNext(ahead, change)
      if (change.op === 'remove') column.cut.delete(change.id)
      else if (change.op === 'bulk' || change.op === 'gap') mayBeRemoved = true
      if (change.op !== 'gap' && change.op !== 'insert') return
      // An older state was restored, so the rows are no longer in the order of the mails.
      if (change.op === 'insert' && change.id <= readUpTo) isStale = true
      quiet.arrived()
    },
    { of: emailCollection },
  )
  return {
    async catchUp({ complete = false, mostMs = catchUpMs, mostMails = unlimited, signal } = {}) {
      const until = clock.now() + mostMs
      const upTo = (id: string): Promise<number> => store.count(emailCollection, { until: [id] })
      const withoutRow = async (): Promise<number> => {
        return (await store.count(emailCollection)) - (await upTo(column.cursor))
      }
      const isFarBehind = !complete && (await withoutRow()) > mostMails
      try {
        // Mail that arrives meanwhile is not included, because it may arrive faster than it can be read.
        const newest = complete ? await newestId() : ''
        const isBehind = (): boolean =>
          column.cursor < newest ||
          (complete && (!isVerified || unsure !== null || deferred.size > 0 || isStale))
        while (
          !isFarBehind &&
          !signal?.aborted &&
          (await digestNext(complete)) &&
          (isBehind() || clock.now() < until)
        );
      } catch {
        // A search must work even if nothing can be stored.
      }
      if (complete && !isVerified) return store.count(emailCollection)
      const unread = await withoutRow()
      const doubtful = unsure
        ? (await upTo(unsure.end)) - (unsure.done === '' ? 0 : await upTo(unsure.done))
        : 0
      return unread + deferred.size + doubtful
    },
    async countCut() {
      if (mayBeRemoved) {
        // A change during the loop asks for another one.
        mayBeRemoved = false
        try {
          for (const id of column.cut) if (!(await store.get(emailCollection, id))) column.cut.delete(id)
        } catch (error) {
          mayBeRemoved = true
          throw error
        }
      }
      return column.cut.size
    },
    readAgain,
    pause: () => quiet.pause(),
    async close() {
      isClosed = true
      quiet.close()
      stopListening()
      // Rows without text must not be used at the next start.
      await inLine(async () => deferred.size > 0 && column.clear())
      return unsure === null
    },
  }
}

const lookAtOnce = 1000
const readAhead = 16
/** The limits for the mails that are read before one write: their number, their bytes and the time. */
const groupMails = readAhead
const groupBytes = 256 * 1024
const groupMs = 4
