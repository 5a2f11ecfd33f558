import { readBodies } from '../mime/bodies.ts'
import { parseMessage, type ParsedMessage } from '../mime/parse.ts'
import type { PlacedPart } from '../mime/part.ts'
import { readStructure, type MimeStructure } from '../mime/structure.ts'

/** What can be found out of the bytes of a message. */
export interface Readings {
  /** All of it, with the checksums of attachments. */
  message: ParsedMessage
  structure: MimeStructure
  bodies: { text: string; html: string }
  /** The beginning of the bodies, for lists and searches. */
  beginning: { text: string; html: string; attachment_count: number }
}

/** The work on a message, in this thread. */
export const jobs: { readonly [Kind in keyof Readings]: (bytes: Buffer) => Promise<Readings[Kind]> } = {
  message: parseMessage,
  structure: async (bytes) => readStructure(bytes),
  bodies: (bytes) => readBodies(bytes, readStructure(bytes)),
  async beginning(bytes) {
    const { text, html, attachments } = readStructure(bytes)
    const bodies = await readBodies(bytes, { text: beginningOf(text), html: beginningOf(html) })
    return { ...bodies, attachment_count: attachments.length }
  },
}

function beginningOf(part: PlacedPart | null): PlacedPart | null {
  return part && { ...part, end: Math.min(part.end, part.start + beginningBytes) }
}

/** Enough for 128 K characters of HTML, however they are encoded. */
const beginningBytes = 1024 * 1024
