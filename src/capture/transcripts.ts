import type { TranscriptLine } from '../inbox/types.ts'
import { createSharedLog } from '../store/shared-log.ts'
import type { Collection, Store, StoredRecord } from '../store/store.ts'
import { linesOfTransaction, toTranscript, type TransactionNotes } from './session-notes.ts'

/** The transcripts of the latest submissions. */
export interface Transcripts {
  /** Keeps the notes themselves: they are read later, and may still grow. */
  keep(id: string, notes: TransactionNotes): void
  /** @returns null for an email without a transcript; a promise where instances share a store. */
  of(id: string, sizeBytes: number): TranscriptLine[] | null | Promise<TranscriptLine[] | null>
  /** Forgets all. */
  clear(): void | Promise<void>
}

/** The transcripts that are in the memory of this instance. */
export interface TranscriptMemory extends Transcripts {
  of(id: string, sizeBytes: number): TranscriptLine[] | null
  clear(): void
}

/** The line that replaces a message. */
const messageLine = (sizeBytes: number): string => `<${sizeBytes} bytes>`

/** How many transcripts are kept, by one instance and by all that share a store. */
const maxTranscripts = 1000

/** @param limit  How many transcripts to keep. They are in memory only, up to 4 KB each. Default: 1,000. */
export function createTranscripts(limit = maxTranscripts): TranscriptMemory {
  // A ring: every submission is put into it, and few are asked for. A map would cost each of them more.
  const kept: { readonly id: string; readonly notes: TransactionNotes }[] = []
  let next = 0
  return {
    keep(id, notes) {
      kept[next] = { id, notes }
      next = (next + 1) % limit
    },
    of(id, sizeBytes) {
      const found = kept.find((transcript) => transcript.id === id)
      return found ? toTranscript(linesOfSubmission(found.notes), messageLine(sizeBytes)) : null
    },
    clear() {
      kept.length = 0
      next = 0
    },
  }
}

/** The transcript of a submission; its id is that of the email. */
interface TranscriptRecord extends StoredRecord {
  /** As in a transaction: who said a line, and the line. */
  lines: string[]
}

export const transcriptCollection: Collection<TranscriptRecord> = { name: 'transcripts', indexes: {} }

/** The transcripts of the latest 1,000 submissions to all instances that share a store. */
export function createSharedTranscripts(store: Store): Transcripts {
  /** Those of this instance, which may not be stored yet. */
  const own = createTranscripts()
  const log = createSharedLog({
    store,
    collection: transcriptCollection,
    limits: [{ index: 'id', prefix: [], most: maxTranscripts }],
    onForeign: () => {},
  })
  return {
    keep(id, notes) {
      own.keep(id, notes)
      log.add(() => ({ id, lines: linesOfSubmission(notes) }))
    },
    async of(id, sizeBytes) {
      const known = own.of(id, sizeBytes)
      if (known) return known
      const stored = await store.get(transcriptCollection, id)
      return stored && toTranscript(stored.lines, messageLine(sizeBytes))
    },
    async clear() {
      own.clear()
      await log.clear()
    },
  }
}

/** The lines of a transaction, with those that opened its session. */
function linesOfSubmission(notes: TransactionNotes): string[] {
  return [...notes.opening.slice(0, notes.openingLength), ...linesOfTransaction(notes)]
}
