import type { EmailRecord } from '../emails/email.ts'
import { foldSpace } from '../mime/fold-space.ts'
import { visibleText } from '../mime/html/visible-text.ts'

/** How much of a mail's text a search looks at, in characters. */
const searchedLength = 2048

/** The text part and what the HTML shows beyond it, white space folded, up to {@link searchedLength} characters. */
export function searchableText(text: string, html: string): string {
  const plain = foldSpace(text.slice(0, plainLookAt)).slice(0, searchedLength)
  if (plain.length === searchedLength || html === '') return plain
  const shown = foldSpace(visibleText(html.slice(0, htmlLookAt))).slice(0, searchedLength)
  return shown.startsWith(plain) ? shown : `${plain} ${shown}`.slice(0, searchedLength)
}

/** The text that a search for words looks at beside the body: a line for each member, limited in length. */
export function searchableHead({ subject, from, to, cc, bcc }: EmailRecord): string {
  return [subject, from, ...to, ...cc, ...bcc].map(foldSpace).join('\n').slice(0, headLength)
}

const plainLookAt = 16 * 1024
// There may be text after a long style sheet.
const htmlLookAt = 128 * 1024
const headLength = 8 * 1024
