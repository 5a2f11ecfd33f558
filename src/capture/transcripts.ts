import type { TranscriptLine } from '../inbox/types.ts'
import type { TransactionNotes } from './transcript.ts'

/** The transcripts of the latest submissions. */
export interface Transcripts {
  keep(id: string, notes: TransactionNotes): void
  /** @returns null for an email that is not a submission, or whose transcript is no longer kept. */
  of(id: string, sizeBytes: number): TranscriptLine[] | null
}

/** @param most  How many transcripts to keep. They are in memory only, up to 4 KB each. Default: 1,000. */
export function createTranscripts(most = 1000): Transcripts {
  const kept = new Map<string, TransactionNotes>()
  // The ring gives the oldest key quickly. Finding the first key of a map takes longer after many deletions.
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
    // After the 354 reply the client sends the message.
    if (from === 'server' && text.startsWith('354 ')) said.push({ from: 'client', text: `<${size} bytes>` })
  }
  return said
}
