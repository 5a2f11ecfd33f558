import { nextTurn } from '../core/machine.ts'
import { createPacer } from '../core/slices.ts'
import { emailCollection } from '../emails/email.ts'
import type { Texts } from '../store/texts.ts'
import { catchUpMs, type Indexer, unlimited } from './indexer.ts'
import type { IndexerDeps } from './column-indexer.ts'
import { startQuietWork } from './quiet-work.ts'
import { groupsOf, mailsOf, newestId } from './mail-rows.ts'
import { type ReadMail, TextWriter, withMessages } from './text-writer.ts'
import { createTries } from './tries.ts'
import { createSequence } from '../core/sequence.ts'

export interface StoreIndexer extends Indexer {
  /** An id up to which every mail has its text, and after which few mails have one; `isAll` if it was the newest one. */
  readTo(): Promise<{ readonly id: string; readonly isAll: boolean }>
}

export interface StoreIndexerDeps extends Pick<IndexerDeps, 'store' | 'clock' | 'digests' | 'onLongWork'> {
  texts: Texts
}

/**
 * Starts to read mail for a store that keeps the text of mail itself, some at a time in order of arrival. Of the instances that
 * share the store, the leader does it in the background. A search on any instance reads the texts that are missing.
 */
export function startStoreIndexer(deps: StoreIndexerDeps): StoreIndexer {
  const { store, texts, clock, digests, onLongWork } = deps
  let isClosed = false
  /** Every mail up to this id has its text, or is deferred; null if that is not known. */
  let cursor: string | null = null
  /** The lowest id that was stored since the last step. Other instances may store one below the cursor. */
  let lowest: string | null = null
  let ahead: string[] = []
  /** Mails without a text, because the store failed at each try. */
  const deferred = new Set<string>()
  let isReading = false
  const writer = new TextWriter(store, texts)
  const tryToRead = createTries(digests)
  const inLine = createSequence()

  /** Reads the next mails without a text, with few round trips to the database. @returns Whether there were any. */
  const readNext = (): Promise<boolean> => inLine(() => readSome().finally(() => (isReading = false)))

  async function readSome(): Promise<boolean> {
    if (isClosed) return false
    isReading = true
    const missing = await nextMissing()
    if (missing.length === 0) await writer.settle()
    const ids = missing.length > 0 ? missing : [...deferred].slice(0, 1)
    if (ids.length === 0 || isClosed) return false
    const { tried, failed } = await readAll(ids).catch((error: unknown) => {
      return { tried: ids, failed: new Map(ids.map((id) => [id, error])) }
    })
    // Added at the end again, so that the next try is for another deferred mail.
    for (const id of failed.keys()) if (deferred.delete(id)) deferred.add(id)
    const again = tried.findIndex((id) => failed.has(id) && !deferred.has(id))
    ahead = again < 0 && missing.length > 0 ? [...ids.slice(tried.length), ...ahead] : []
    const last = tried.at(again < 0 ? -1 : again - 1)
    // Without a cursor, changes were missed meanwhile: mails before the last one may have no text again.
    if (again !== 0 && last !== undefined && cursor !== null && last > cursor) cursor = last
    for (const error of failed.values()) throw error
    await nextTurn()
    return true
  }

  /** Sets the cursor if it is not known, and back to where another instance stored a mail. */
  async function place(): Promise<string> {
    // A new mail may belong between those that were looked up.
    if (cursor === null || lowest !== null) ahead = []
    cursor ??= await endOfRead()
    // The ids in between are checked again.
    if (lowest !== null && lowest <= cursor) cursor = previous(lowest)
    lowest = null
    return cursor
  }

  async function nextMissing(): Promise<string[]> {
    const cursor = await place()
    if (ahead.length === 0) ahead = await texts.missing(emailCollection, cursor, readAhead + deferred.size)
    const next = ahead.filter((id) => !deferred.has(id))
    ahead = next.slice(stepMails)
    return next.slice(0, stepMails)
  }

  /** An id up to which every mail has its text. */
  async function endOfRead(): Promise<string> {
    const newest = await newestId(store)
    return (await texts.countMissing(emailCollection)) === 0 ? newest : ''
  }

  /** Reads the first of these mails, for a limited time, and stores their texts. */
  async function readAll(ids: readonly string[]): Promise<Outcome> {
    const until = clock.now() + stepMs
    const failed = new Map<string, unknown>()
    let tried = ids
    const emails = await mailsOf(store, ids)
    const found = new Set(emails.map(({ id }) => id))
    for (const id of ids) if (!found.has(id)) deferred.delete(id)
    // While the database stores what was read, the next mails are parsed.
    let keeping: Promise<unknown> = Promise.resolve()
    for (const group of groupsOf(emails)) {
      const [first] = group
      if (first && first !== emails[0] && clock.now() >= until) {
        tried = ids.slice(0, ids.indexOf(first.id))
        break
      }
      const read: ReadMail[] = []
      const pacer = createPacer(1)
      for (const { email, message } of await withMessages(texts, group)) {
        if (isClosed) break
        const { id } = email
        const reading = await tryToRead(email, message)
        if (!('error' in reading)) read.push({ email, reading })
        else if (deferred.has(id) || !reading.isLast) failed.set(id, reading.error)
        else deferred.add(id)
        if (pacer.due()) await pacer.turn()
      }
      await keeping
      if (isClosed) return { tried, failed }
      keeping = writer.write(read).then((errors) => {
        for (const [id, error] of errors) failed.set(id, error)
        // Only now: until the text is stored, a search by members must find the mail by its record.
        for (const { email } of read) if (!errors.has(email.id)) deferred.delete(email.id)
      })
    }
    await keeping
    return { tried, failed }
  }

  const quiet = startQuietWork({
    clock,
    step: async () => store.leadership.isMine() && (await readNext()),
    onLongWork,
  })
  const stopListening = store.changes(
    (change) => {
      if (change.op === 'gap') cursor = null
      else if (change.op === 'insert') {
        if (lowest === null || change.id < lowest) lowest = change.id
      } else return
      quiet.arrived()
    },
    { of: emailCollection },
  )
  const stopLeading = store.leadership.onMine(() => quiet.begin())
  return {
    async catchUp({ complete = false, maxMs = catchUpMs, maxMails = unlimited, signal } = {}) {
      const until = clock.now() + maxMs
      let isDone = false
      try {
        let isCounted = complete || maxMails === unlimited
        const newest = complete ? await newestId(store) : ''
        const isBehind = (): boolean => complete && (cursor === null || cursor < newest || deferred.size > 0)
        while (!isDone && !signal?.aborted) {
          // Once, and only where many are left, because counting takes a while.
          if (!isCounted && ahead.length > 0) {
            isCounted = true
            if ((await texts.countMissing(emailCollection)) > maxMails) break
          }
          isDone = !(await readNext())
          if (!isBehind() && clock.now() >= until) break
        }
      } catch {
        // A search must work even if nothing can be stored.
      }
      // Until the next search here, the leader reads them.
      if (!store.leadership.isMine()) ahead = []
      return isDone ? 0 : await texts.countMissing(emailCollection)
    },
    countCut: () => texts.countCut(emailCollection),
    async readTo() {
      quiet.pause()
      let isAll = false
      // A search by members does not wait for the mails that are being read.
      if (!isReading)
        await inLine(async () => {
          const from = await place()
          const newest = await newestId(store)
          // Another instance may have read further mails.
          const [missing] = await texts.missing(emailCollection, from, 1)
          const to = missing === undefined ? newest : previous(missing)
          if (to > from) {
            cursor = to
            ahead = []
          }
          isAll = missing === undefined
        })
      const open = [...deferred, ...(lowest === null ? [] : [lowest])]
      const id = open.reduce((least, id) => (id <= least ? previous(id) : least), cursor ?? '')
      return { id, isAll: isAll && open.length === 0 }
    },
    async close() {
      isClosed = true
      quiet.close()
      stopListening()
      stopLeading()
      await inLine(async () => {})
      return true
    },
  }
}

/** A text that sorts before this id, and after every lower id that differs before the last character. */
const previous = (id: string): string => id.slice(0, -1)

/** The mails that were tried before the time was over, in order, and the errors of those to be tried again, by id. */
interface Outcome {
  readonly tried: readonly string[]
  readonly failed: ReadonlyMap<string, unknown>
}

/** How many mails are looked up at once, how many of them are read in one step, and for how long about. */
const readAhead = 1024
const stepMails = 256
const stepMs = 250
