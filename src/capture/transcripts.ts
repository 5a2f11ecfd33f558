import type { TranscriptLine } from '../inbox/types.ts'
import type { TransactionNotes } from './transcript.ts'

/** The SMTP sessions of the submissions that came last. */
export interface Transcripts {
  keep(id: string, notes: TransactionNotes): void
  /** @returns null for what is no submission, or not remembered any more. */
  of(id: string, sizeBytes: number): TranscriptLine[] | null
}

/** @param most  How many are kept: they are in memory only, and each may have 4 KB. Default: 1,000. */
export function createTranscripts(most = 1000): Transcripts {
  const kept = new Map<string, TransactionNotes>()
  // A ring beside the map: to find its first key, a map steps over all that were taken out before it.
  const ring: string[] = []
  let next = 0
  return {
    keep(id, notes) {
      const oldest = ring[next]
      if (oldest !== undefined) kept.delete(oldest)
      kept.set(id, notes)
      ring[next] = id
      next = (next + 1) % most
    },
    of(id, sizeBytes) {
      const notes = kept.get(id)
      return notes ? toLines(notes, sizeBytes) : null
    },
  }
}

function toLines(
  { opening, openingLength, head, leftOut, tail }: TransactionNotes,
  size: number,
): TranscriptLine[] {
  const lines = [...opening.slice(0, openingLength), ...head]
  if (leftOut > 0) lines.push('C', `<${leftOut} lines are left out>`)
  lines.push(...tail)
  const said: TranscriptLine[] = []
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const from = lines[i] === 'C' ? 'client' : 'server'
    const text = lines[i + 1] ?? ''
    said.push({ from, text })
    // The message itself follows the go-ahead.
    if (from === 'server' && text.startsWith('354 ')) said.push({ from: 'client', text: `<${size} bytes>` })
  }
  return said
}
