import { cutText, foldSpace } from '../../core/text.ts'
import { visibleText } from './visible-text.ts'

/** How many characters a snippet has at most. */
const snippetLength = 140
/** How much of a body is read: enough for a snippet after a long style sheet, and still cheap. */
const lookAt = 64 * 1024

/**
 * The beginning of what a reader sees, for lists: at most 140 characters, white space folded.
 *
 * @param text  The plain text body; used unless it is blank.
 * @param html  The HTML body. Read by a scanner that is linear in a bounded prefix, so hostile HTML costs nothing.
 * @returns Plain text, never HTML: escape it like any other text.
 */
export function snippetOf(text: string, html: string): string {
  const plain = beginningOf(text.slice(0, lookAt))
  return plain === '' ? beginningOf(visibleText(html.slice(0, lookAt))) : plain
}

function beginningOf(text: string): string {
  // Nearly always the beginning is enough, and folding all of it took a tenth of the time of reading a mail of 20 KB.
  const beginning = folded(text.slice(0, 8 * snippetLength))
  return cutText(beginning.length > 2 * snippetLength ? beginning : folded(text), snippetLength)
}

function folded(text: string): string {
  // Mail makers pad the preheader with invisible characters; they would fill the snippet.
  return foldSpace(text.replace(/\u034f|[\u00ad\u200b-\u200f\u2060\ufeff]/g, ''))
}
