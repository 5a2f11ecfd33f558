import type { TranscriptLine } from '../inbox/types.ts'
import { type TransactionNotes, linesOfTransaction } from './session-notes.ts'

/** The lines of a transaction, with those that opened its session. */
export function linesOfSubmission(notes: TransactionNotes): string[] {
  return [...notes.opening.slice(0, notes.openingLength), ...linesOfTransaction(notes)]
}

/** The line that replaces a message. */
export const messageLine = (sizeBytes: number): string => `<${sizeBytes} bytes>`

/**
 * The lines as they are answered.
 *
 * @param message  The line that replaces the message, after each reply to DATA.
 */
export function toTranscript(lines: readonly string[], message: string): TranscriptLine[] {
  const said: TranscriptLine[] = []
  for (let i = 0; i + 1 < lines.length; i += 2) {
    const from = lines[i] === 'C' ? 'client' : 'server'
    const text = lines[i + 1] ?? ''
    said.push({ from, text })
    // After the 354 reply the client sends the message.
    if (from === 'server' && text.startsWith('354 ')) said.push({ from: 'client', text: message })
  }
  return said
}
