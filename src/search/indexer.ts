import type { Clock } from '../core/clock.ts'
import { emailCollection, type EmailRecord } from '../emails/email.ts'
import { modifyEmail } from '../emails/modify.ts'
import { isErrorOf } from '../core/errors.ts'
import type { Store } from '../store/store.ts'
import type { Digests, Reading } from './digests.ts'
import { searchableHead } from './searchable.ts'
import type { TextColumn } from './text-column.ts'
import { nextTurn } from '../core/machine.ts'

/** Finds out behind capture what lists and searches show of submissions, and stores it in their records. */
export interface Indexer {
  /**
   * Reads at once what is not read yet; after some seconds the rest is left for later.
   *
   * @param options.complete  Reads all that is there now, however long that takes. Default: false.
   * @returns How many mails are not read.
   */
  catchUp(options?: { complete?: boolean }): Promise<number>
  /** Ends it, and waits for the message that is being read. */
  close(): Promise<void>
}

export interface IndexerDeps {
  store: Store
  clock: Clock
  digests: Pick<Digests, 'take'>
  /** Takes the text of every mail; how far it came is how far the reading is. */
  column: TextColumn
}

/**
 * Begins to read mail, in order of arrival and one at a time. Capture goes before: nothing is read while mail arrives,
 * but for a short slice now and then in a stream that has no pause. What is still to be read is all behind the last row
 * of the column: nothing is held here, a restart continues where it was, and a lost column is rebuilt.
 */
export function startIndexer({ store, clock, digests, column }: IndexerDeps): Indexer {
  let isClosed = false
  let lastArrival = clock.now()
  let cancelTimer: (() => void) | null = null
  let waitingSince = 0
  /** Whether something came since the store was last asked. */
  let isNews = false
  let isStale = false
  /** The mail that could not be read last, and how often in a row. */
  let failing: { id: string; tries: number } | null = null
  /** Mails whose row has no text, because the medium failed each time. */
  const deferred = new Set<string>()
  /** The end of the line of those who want a message read: never two at a time. */
  let line: Promise<unknown> = Promise.resolve()

  /** Reads the next that is not read. @returns Whether there was one. */
  const digestNext = (): Promise<boolean> => {
    const next = line.then(async () => {
      if (isClosed) return false
      isNews = false
      if (isStale) {
        await column.clear()
        deferred.clear()
      }
      isStale = false
      await column.verify()
      const email = (await nextRow()) ?? (await nextUndigested()) ?? (await nextDeferred())
      if (!email) {
        await clearWaste()
        return false
      }
      const reading = await readOnce(email)
      if (isClosed) return false
      const { body, ...digest } = reading ?? unreadable
      if (email.id > column.cursor) await column.append(email.id, searchableHead(email), body)
      // Its row is among those of earlier mails, and has no text: all are rebuilt.
      else if (reading && deferred.delete(email.id)) isStale = true
      if (!reading) return true
      if (email.snippet === null || email.undigested)
        await modifyEmail(store, email.id, (stored) => ({ ...stored, ...digest, undigested: undefined }))
      await nextTurn()
      return true
    })
    line = next.catch(() => {})
    return next
  }

  /**
   * Reads a mail. A medium that fails may work again, so the mail is tried again before those behind it; after some
   * tries it is deferred: it gets a row without its text, and is tried again behind all others.
   *
   * @returns null where it is deferred.
   */
  async function readOnce(email: EmailRecord): Promise<Reading | null> {
    try {
      const reading = await digests.take(email)
      failing = null
      return reading
    } catch (error) {
      if (!isErrorOf(error, ...passingFaults)) return unreadable
      const tries = failing?.id === email.id ? failing.tries + 1 : 1
      failing = { id: email.id, tries }
      if (tries < maxTries || email.id <= column.cursor) throw error
      deferred.add(email.id)
      return null
    }
  }

  async function nextDeferred(): Promise<EmailRecord | null> {
    for (const id of deferred) {
      const email = await store.get(emailCollection, id)
      if (email) return email
      deferred.delete(id)
    }
    return null
  }

  async function nextRow(): Promise<EmailRecord | undefined> {
    const after = column.cursor === '' ? undefined : [column.cursor]
    return (await store.page(emailCollection, { after, limit: 1 })).records[0]
  }

  async function newestId(): Promise<string> {
    return (await store.page(emailCollection, { direction: 'desc', limit: 1 })).records[0]?.id ?? ''
  }

  /** What a crash left between its row and its record. */
  async function nextUndigested(): Promise<EmailRecord | undefined> {
    const query = { index: 'undigested', direction: 'desc', limit: deferred.size + 1 } as const
    return (await store.page(emailCollection, query)).records.find(({ id }) => !deferred.has(id))
  }

  /** Rows of removed mails cost space and time; with so few live ones, rebuilding costs little. */
  async function clearWaste(): Promise<void> {
    const live = await store.count(emailCollection)
    if (column.rows > 0 && (live === 0 || column.rows > maxWasteFactor * live + fewRows)) {
      await column.clear()
      isNews = live > 0
    }
  }

  function plan(delayMs: number): void {
    if (isClosed || cancelTimer) return
    waitingSince = clock.now()
    cancelTimer = clock.after(delayMs, onTimer)
  }

  function onTimer(): void {
    const now = clock.now()
    const quietIn = lastArrival + quietMs - now
    if (quietIn > 0 && now - waitingSince < patienceMs) {
      cancelTimer = clock.after(quietIn, onTimer)
      return
    }
    void work(now).then((delayMs) => {
      cancelTimer = null
      if (delayMs !== null || isNews) plan(delayMs ?? quietMs)
    })
  }

  /** @returns When to go on; null when everything is read. */
  async function work(began: number): Promise<number | null> {
    try {
      for (;;) {
        if (!(await digestNext())) return null
        const now = clock.now()
        if (now - lastArrival < quietMs && now - began >= sliceMs) return quietMs
      }
    } catch (error) {
      // Writers to a failing store get the error; here the commit is only tried again.
      return isErrorOf(error, 'closed') ? null : retryMs
    }
  }

  const stopListening = store.changes((change) => {
    if (change.op !== 'gap' && (change.op !== 'insert' || change.collection !== emailCollection.name)) return
    lastArrival = clock.now()
    isNews = true
    // An older state was restored: the order of the rows no longer fits the mails.
    if (change.op === 'insert' && change.id <= column.cursor) isStale = true
    plan(quietMs)
  })
  plan(quietMs)
  return {
    async catchUp({ complete = false } = {}) {
      const until = clock.now() + catchUpMs
      try {
        // Not what arrives meanwhile: that may be more than can be read.
        const newest = complete ? await newestId() : ''
        while ((await digestNext()) && (column.cursor < newest || clock.now() < until));
      } catch {
        // A search must answer also where nothing can be stored.
      }
      return (
        (await store.count(emailCollection)) -
        (await store.count(emailCollection, { until: [column.cursor] }))
      )
    },
    async close() {
      isClosed = true
      cancelTimer?.()
      stopListening()
      await line
      // The next time must not take these rows for whole.
      if (deferred.size > 0) await column.clear()
    },
  }
}

/** Faults of the medium, which may pass. */
const passingFaults = [
  'store_failed',
  'store_read_only',
  'store_full',
  'service_unavailable',
  'closed',
] as const
/** After so many in a row, other mail goes first. */
const maxTries = 5
/** Of a message that is damaged or no message: it is not tried for ever. */
const unreadable: Reading = { snippet: '', attachment_count: 0, body: '' }
/** So long nothing must have arrived. */
const quietMs = 100
/** After so long without a pause, a slice is taken all the same. */
const patienceMs = 1000
const sliceMs = 20
const catchUpMs = 5000
const maxWasteFactor = 5
const fewRows = 2000
/** Wait after a fault of the store. */
const retryMs = 5000
