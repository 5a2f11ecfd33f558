import type { EmailRecord } from '../emails/email.ts'
import { cutText } from '../core/cut-text.ts'
import { foldSpace } from '../core/fold-space.ts'
import { visibleText } from '../mime/html/visible-text.ts'
import { linesOf } from './head-rows.ts'

/** How much of a mail's text a search looks at, in characters. */
const searchedLength = 2048

/** The text part and what the HTML shows beyond it, white space folded, up to {@link searchedLength} characters. */
export function searchableText(text: string, html: string): string {
  const plain = foldSpace(text.slice(0, plainLookAt)).slice(0, searchedLength)
  if (plain.length === searchedLength || html === '') return plain
  const shown = foldSpace(visibleText(html.slice(0, htmlLookAt))).slice(0, searchedLength)
  return shown.startsWith(plain) ? shown : `${plain} ${shown}`.slice(0, searchedLength)
}

/** The text that a search for words looks at beside the body, folded: a line for each address and name, limited in length. */
export function searchableHead(email: EmailRecord): string {
  const { subject, from, to, to_names = [], cc, cc_names = [], bcc, bcc_names = [] } = email
  return cutText(linesOf([subject, from], to, to_names, cc, cc_names, bcc, bcc_names), headLength)
}

const plainLookAt = 16 * 1024
// There may be text after a long style sheet.
const htmlLookAt = 128 * 1024
const headLength = 64 * 1024
