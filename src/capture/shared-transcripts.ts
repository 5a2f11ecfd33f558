import { createSharedLog } from '../store/shared-log.ts'
import type { Collection, Store, StoredRecord } from '../store/store.ts'
import { createTranscripts, linesOf, messageLine, toTranscript, type Transcripts } from './transcripts.ts'

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
    limits: [{ index: 'id', prefix: [], most: 1000 }],
    onForeign: () => {},
  })
  return {
    keep(id, notes) {
      own.keep(id, notes)
      log.add(() => ({ id, lines: linesOf(notes) }))
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
