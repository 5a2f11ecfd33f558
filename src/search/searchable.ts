import { cutText } from '../core/text.ts'
import { foldLetters } from '../core/fold-text.ts'
import type { EmailRecord } from '../emails/email.ts'
import { searchedLength, type SearchableText } from '../mime/html/searchable-text.ts'
import { foldedLines } from './head-parts.ts'

/** The text that a search for words looks at beside the body, folded: a line for each address and name, limited in length. */
export function searchableHead(email: EmailRecord): string {
  const { subject, from, to, to_names = [], cc, cc_names = [], bcc, bcc_names = [] } = email
  return cutText(foldedLines([subject, from], to, to_names, cc, cc_names, bcc, bcc_names), headLength)
}

/**
 * Folds the letters of a body, whose white space is folded already, as searches compare it. Some characters become several,
 * so that it may be cut again.
 */
export function foldBody({ body, isCut }: SearchableText): SearchableText {
  const folded = foldLetters(body)
  return { body: cutText(folded, searchedLength), isCut: isCut || folded.length > searchedLength }
}

const headLength = 64 * 1024
