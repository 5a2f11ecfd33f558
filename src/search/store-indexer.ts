import { nextTurn } from '../core/machine.ts'
import { createSequence } from '../core/shared-work.ts'
import { emailCollection, type EmailRecord, modifyEmail } from '../emails/email.ts'
import type { RecordText, Texts } from '../store/texts.ts'
import { catchUpMs, type Indexer, type IndexerDeps } from './indexer.ts'
import { startQuietWork } from './quiet-work.ts'
import { headParts } from './head-rows.ts'
import { foldBody, searchableHead } from './searchable.ts'
import { createTries } from './tries.ts'

/** Reads mail for a store that keeps the text of mail itself. */
export interface StoreIndexer extends Indexer {
  /** An id up to which every mail has its text, and after which few mails have one. */
  readTo(): Promise<string>
}

/** Dependencies of {@link startStoreIndexer}. */
export interface StoreIndexerDeps extends Pick<IndexerDeps, 'store' | 'clock' | 'digests' | 'onLongWork'> {
  /** The texts of `store`. */
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
  /** The next mails without a text. */
  let ahead: string[] = []
  /** Mails without a text, because the store failed at each try. */
  const deferred = new Set<string>()
  const tryToRead = createTries(digests)
  const inLine = createSequence()

  /** Reads the next mails without a text, so that their round trips to the database share their time. @returns Whether there were any. */
  const readNext = (): Promise<boolean> =>
    inLine(async () => {
      if (isClosed) return false
      const missing = await nextMissing()
      const ids = missing.length > 0 ? missing : [...deferred].slice(0, 1)
      if (ids.length === 0 || isClosed) return false
      const read = await Promise.allSettled(ids.map(readOne))
      const again = ids.filter((id, nth) => read[nth]?.status === 'rejected' && !deferred.has(id))
      ahead.unshift(...again)
      const last = again[0] === undefined ? ids.at(-1) : ids[ids.indexOf(again[0]) - 1]
      // Without a cursor, changes were missed meanwhile: mails before the last one may have no text again.
      if (last !== undefined && cursor !== null && last > cursor) cursor = last
      for (const result of read) if (result.status === 'rejected') throw result.reason
      await nextTurn()
      return true
    })

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
    if (ahead.length === 0) ahead = await texts.missing(emailCollection, cursor, atOnce + deferred.size)
    const next = ahead.filter((id) => !deferred.has(id))
    ahead = next.slice(atOnce)
    return next.slice(0, atOnce)
  }

  /** An id up to which every mail has its text. */
  async function endOfRead(): Promise<string> {
    const newest = await newestId()
    return (await texts.countMissing(emailCollection)) === 0 ? newest : ''
  }

  async function newestId(): Promise<string> {
    return (await store.ids(emailCollection, { direction: 'desc', limit: 1 }))[0] ?? ''
  }

  /** @throws The error of a try after which the mail is tried again. */
  async function readOne(id: string): Promise<void> {
    const wasDeferred = deferred.delete(id)
    try {
      await readAndStore(id, wasDeferred)
    } catch (error) {
      // Added at the end again, so that the next try is for another deferred mail.
      if (wasDeferred) deferred.add(id)
      throw error
    }
  }

  async function readAndStore(id: string, wasDeferred: boolean): Promise<void> {
    const email = await store.get(emailCollection, id)
    const result = email && (await tryToRead(email))
    if (!result || isClosed) return
    if ('error' in result) {
      if (wasDeferred || !result.isLast) throw result.error
      deferred.add(id)
      return
    }
    const { snippet, attachment_count } = result
    // The text comes last: a mail without one is read again after a crash.
    if (email.snippet === null || email.undigested)
      await modifyEmail(store, id, (stored) => ({
        ...stored,
        snippet,
        attachment_count,
        undigested: undefined,
      }))
    const { body, isCut } = foldBody(result)
    await texts.put(emailCollection, id, textOf(email, body), isCut)
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
    async catchUp({ complete = false, signal } = {}) {
      const until = clock.now() + catchUpMs
      let isDone = false
      try {
        const newest = complete ? await newestId() : ''
        const isBehind = (): boolean => complete && (cursor === null || cursor < newest || deferred.size > 0)
        do isDone = !(await readNext())
        while (!isDone && !signal?.aborted && (isBehind() || clock.now() < until))
      } catch {
        // A search must work even if nothing can be stored.
      }
      return isDone ? 0 : await texts.countMissing(emailCollection)
    },
    countCut: () => texts.countCut(emailCollection),
    readTo: () =>
      inLine(async () => {
        const from = await place()
        const newest = await newestId()
        // Another instance may have read further mails.
        const [missing] = await texts.missing(emailCollection, from, 1)
        const to = missing === undefined ? newest : previous(missing)
        if (to > from) cursor = to
        return [...deferred].reduce((least, id) => (id <= least ? previous(id) : least), cursor ?? '')
      }),
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

/** How many mails are read at once. */
const atOnce = 16

/** The text of a mail for the store. @param body  The folded text. */
function textOf(email: EmailRecord, body: string): RecordText {
  const parts = headParts(email) ?? undecided
  return { ...parts, head: searchableHead(email), body }
}

const undecided = { subject: null, from: null, sender: null, to: null, cc: null, bcc: null }
