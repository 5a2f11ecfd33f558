import { readBodies } from '../mime/bodies.ts'
import { searchableText, type SearchableText } from '../mime/html/searchable-text.ts'
import { snippetOf } from '../mime/html/snippet.ts'
import { readStructure } from '../mime/structure.ts'

/** The members that require reading the message. */
export interface Digest {
  snippet: string
  attachment_count: number
}

/** The digest of a mail and its searchable text, made by reading it once. */
export interface DigestReading extends Digest, SearchableText {}

/** Reads the digest of a message. */
export function readDigest(message: Buffer): DigestReading {
  const structure = readStructure(message)
  const { text, html, isCut } = readBodies(message, structure, maxBytes)
  const searchable = searchableText(text, html)
  return {
    body: searchable.body,
    isCut: isCut || searchable.isCut,
    snippet: snippetOf(text, html),
    attachment_count: structure.attachments.length,
  }
}

/** The searchable text of an API send. @param json  Its stored content. */
export function readContentText(json: Buffer): SearchableText {
  const { html = '', text = '' } = JSON.parse(json.toString()) as { html?: string; text?: string }
  return searchableText(text, html)
}

/** How much of each body is read, in encoded bytes: what a search looks at and as much again for markup and encoding. */
const maxBytes = 2 * 1024 * 1024
