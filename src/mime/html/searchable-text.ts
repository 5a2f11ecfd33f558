import { cutText, foldSpace } from '../../core/text.ts'
import { scannedLength } from './scan-html.ts'
import { visibleText } from './visible-text.ts'

/** How much of the text of a mail a search looks at, in characters. */
export const searchedLength: number = 256 * 1024

/** The text of a mail that searches look at. */
export interface SearchableText {
  /** White space folded; at most {@link searchedLength} characters. */
  body: string
  /** Whether the mail has more text. */
  isCut: boolean
}

/** The text part, and what the HTML shows beyond it. At most 1 MB of each is read. */
export function searchableText(text: string, html: string): SearchableText {
  const plain = foldSpace(text.slice(0, scannedLength))
  const shown = html === '' ? '' : foldSpace(visibleText(html))
  const all = shown.startsWith(plain) ? shown : shown === '' ? plain : `${plain} ${shown}`
  const isCut = all.length > searchedLength || Math.max(text.length, html.length) > scannedLength
  return { body: cutText(all, searchedLength), isCut }
}
