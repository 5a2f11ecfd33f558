import { nextTurn } from '../core/machine.ts'
import { createSequence } from '../core/shared-work.ts'
import { emailCollection, type EmailRecord, modifyEmail } from '../emails/email.ts'
import type { RecordText, Texts } from '../store/texts.ts'
import type { Reading } from '../reading/digest.ts'
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
 * Starts to read mail for a store that keeps the text of mail itself, one at a time in order of arrival. Of the instances that
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
  /** Only one message is read at a time. */
  const inLine = createSequence()

  /** Reads the next mail without a text. @returns Whether there was one. */
  const readNext = (): Promise<boolean> =>
    inLine(async () => {
      if (isClosed) return false
      const id = (await nextMissing()) ?? [...deferred][0]
      if (id === undefined || isClosed) return false
      const email = await store.get(emailCollection, id)
      if (email) await read(email)
      else deferred.delete(id)
      if (cursor === null || id > cursor) cursor = id
      await nextTurn()
      return true
    })

  /** Sets the cursor if it is not known, and back to where another instance stored a mail. */
  async function place(): Promise<string> {
    cursor ??= await endOfRead()
    if (lowest !== null && lowest <= cursor) {
      // The ids in between are checked again.
      cursor = previous(lowest)
      ahead = []
    }
    lowest = null
    return cursor
  }

  async function nextMissing(): Promise<string | undefined> {
    const cursor = await place()
    if (ahead.length === 0) ahead = await texts.missing(emailCollection, cursor, readAhead + deferred.size)
    for (;;) {
      const id = ahead.shift()
      if (id === undefined || !deferred.has(id)) return id
    }
  }

  /** An id up to which every mail has its text. */
  async function endOfRead(): Promise<string> {
    const newest = await newestId()
    return (await texts.countMissing(emailCollection)) === 0 ? newest : ''
  }

  async function newestId(): Promise<string> {
    return (await store.ids(emailCollection, { direction: 'desc', limit: 1 }))[0] ?? ''
  }

  async function read(email: EmailRecord): Promise<void> {
    const reading = await readOnce(email)
    if (isClosed || !reading) return
    const { snippet, attachment_count } = reading
    const text = foldBody(reading)
    // The text comes last: a mail without one is read again after a crash.
    if (email.snippet === null || email.undigested)
      await modifyEmail(store, email.id, (stored) => ({
        ...stored,
        snippet,
        attachment_count,
        undigested: undefined,
      }))
    await texts.put(emailCollection, email.id, textOf(email, text.body), text.isCut)
    deferred.delete(email.id)
  }

  /** @returns null if the mail is deferred. @throws The error of a try after which the same mail is tried again. */
  async function readOnce(email: EmailRecord): Promise<Reading | null> {
    const result = await tryToRead(email)
    if (!('error' in result)) return result
    // Added at the end again, so that the next try is for another deferred mail.
    const wasDeferred = deferred.delete(email.id)
    if (wasDeferred || result.isLast) deferred.add(email.id)
    else ahead.unshift(email.id)
    if (wasDeferred || !result.isLast) throw result.error
    return null
  }

  const quiet = startQuietWork({
    clock,
    step: async () => store.leadership.isMine() && (await readNext()),
    onLongWork,
  })
  const stopListening = store.changes((change) => {
    if (change.op === 'gap') cursor = null
    else if (change.op === 'insert' && change.collection === emailCollection.name) {
      if (lowest === null || change.id < lowest) lowest = change.id
    } else return
    quiet.arrived()
  })
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

/** How many ids are read at once. */
const readAhead = 16

/** The text of a mail for the store. @param body  The folded text. */
function textOf(email: EmailRecord, body: string): RecordText {
  const parts = headParts(email) ?? undecided
  return { ...parts, head: searchableHead(email), body }
}

const undecided = { subject: null, from: null, sender: null, to: null, cc: null, bcc: null }
