import { emailCollection } from '../emails/email.ts'
import { ColumnWriter, type ColumnWriterDeps } from './column-writer.ts'
import { forgetRemovedCuts, isMostlyWaste } from './column-upkeep.ts'
import { catchUpMs, type Indexer } from './indexer.ts'
import { newestId } from './mails.ts'
import { quietSliceMs, startQuietWork } from './quiet-work.ts'
import { createSequence } from '../core/sequence.ts'

export interface ColumnIndexer extends Indexer {
  /** Reads all mail again, because a row is damaged. */
  readAgain(): void
  /** Lets a search that does not need the texts go first. */
  pause(): void
}

export interface IndexerDeps extends ColumnWriterDeps {
  /** Called with true when reading has gone on for some time while no mail arrives, and with false when that ends. */
  onLongWork?: ((isRunning: boolean) => void) | undefined
}

interface ReadOptions {
  complete: boolean
  signal: AbortSignal | undefined
}

/**
 * Starts to read mail, one at a time in order of arrival, and stores the results of several mails with one write. Capture
 * has priority: the indexer pauses while mail arrives, and if mail arrives without a pause, it reads only for a short slice
 * every second. All unread mail comes after the last row of the column, so the indexer keeps no list: a restart continues at
 * the same place, and a lost column is rebuilt.
 */
export function startIndexer(deps: IndexerDeps): ColumnIndexer {
  const { store, clock, column, onLongWork } = deps
  let isClosed = false
  /** Whether all rows have to be made again: one is damaged, missing or not in the order of the mails, or most are waste. */
  let isStale = false
  /** Whether the rows of an earlier process are known to be undamaged. */
  let isVerified = false
  const writer = new ColumnWriter(deps)
  const { deferred } = writer
  /** Only one message is read at a time. */
  const inLine = createSequence()
  const quiet = startQuietWork({ clock, step: () => step(), onLongWork })
  const stopListening = store.changes(
    (change) => {
      if (writer.noteChange(change)) isStale = true
      if (change.op === 'gap' || change.op === 'insert') quiet.arrived()
    },
    { of: emailCollection },
  )

  /**
   * Does the next part of the work.
   *
   * @param options.verifies  Checks a part of the rows of an earlier process first, until all are checked. Default: false.
   * @returns Whether there was work.
   */
  function step({ verifies = false } = {}): Promise<boolean> {
    return inLine(async () => {
      if (isClosed) return false
      if (isStale) {
        await writer.clear()
        isStale = false
      }
      if (verifies && !isVerified) {
        await verifyPart()
        if (isClosed) return false
        if (!isVerified) return true
      }
      if (await writer.writeNext(() => isClosed)) return true
      if (!deferred.isKnown) {
        await deferred.lookThrough()
        return true
      }
      const email = await deferred.next()
      if (email) {
        // The row of a deferred mail is in the middle of the column and has no text, so the whole column is rebuilt.
        if (await writer.readDeferred(email, () => isClosed)) isStale = true
        return true
      }
      if (await isMostlyWaste(store, column)) readAgain()
      return false
    })
  }

  async function verifyPart(): Promise<void> {
    const deadline = clock.now() + quietSliceMs
    const checked = await column.verify(() => isClosed || clock.now() >= deadline)
    if (isClosed) return
    if (checked === 'damaged') readAgain()
    isVerified = checked === 'intact'
  }

  function readAgain(): void {
    isStale = true
    quiet.begin()
  }

  /**
   * Does steps until there is no work, the signal is aborted, or the deadline has passed. If `complete`, the deadline does
   * not count before all mail that was there at first has its row.
   */
  async function readUntil(deadline: number, { complete, signal }: ReadOptions): Promise<void> {
    // Mail that arrives meanwhile is not included, because it may arrive faster than it can be read.
    const newest = complete ? await newestId(store) : ''
    const isBehind = (): boolean =>
      column.cursor < newest ||
      (complete && (!isVerified || !deferred.isKnown || deferred.size > 0 || isStale))
    while (!signal?.aborted) {
      const hadWork = await step({ verifies: complete })
      if (!hadWork || (clock.now() >= deadline && !isBehind())) return
    }
  }

  async function countWithoutRow(): Promise<number> {
    const all = await store.count(emailCollection)
    return all - (await store.count(emailCollection, { until: [column.cursor] }))
  }

  return {
    async catchUp({ complete = false, maxMs = catchUpMs, maxMails = Number.POSITIVE_INFINITY, signal } = {}) {
      const deadline = clock.now() + maxMs
      const isFarBehind = !complete && (await countWithoutRow()) > maxMails
      try {
        if (!isFarBehind) await readUntil(deadline, { complete, signal })
      } catch {
        // A search must work even if nothing can be stored. A store that cannot be read either fails at the counts below.
      }
      if (complete && !isVerified) return store.count(emailCollection)
      return (await countWithoutRow()) + (await deferred.count())
    },
    countCut: () => forgetRemovedCuts(store, column),
    readAgain,
    pause: () => quiet.pause(),
    async close() {
      isClosed = true
      quiet.close()
      stopListening()
      // Rows without text must not be used at the next start.
      await inLine(async () => {
        if (deferred.size > 0) await column.clear()
      })
      return deferred.isKnown
    },
  }
}
