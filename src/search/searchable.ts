import { domainToUnicode } from 'node:url'
import type { EmailRecord } from '../emails/email.ts'
import { addressKey } from '../mime/headers/addresses.ts'
import { foldLetters, foldText } from '../core/fold-text.ts'
import { cutText } from '../core/text.ts'
import { searchedLength, type SearchableText } from '../mime/html/searchable-text.ts'

/** The members of a mail that a head row has. `to` covers Cc and Bcc too, `sender` From and the envelope sender. */
export type HeadMember = 'subject' | 'from' | 'sender' | 'to' | 'cc'

/** The members of a mail as searches compare them, addresses and names in lines; null if they are only known from the record. */
export function headParts(email: EmailRecord): HeadParts | null {
  const { subject, from, to, to_names = [], cc, cc_names = [], bcc, bcc_names = [], envelope } = email
  // Usually the same as in From.
  const sender = from.includes(envelope.mail_from) ? '' : envelope.mail_from
  const addresses = [from, sender, ...to, ...cc, ...bcc]
  const values = [subject, ...addresses, ...to_names, ...cc_names, ...bcc_names]
  const length = values.reduce((sum, value) => sum + value.length + 1, 0)
  if (length > maxLength || addresses.some(isOddlySpelled)) return null
  return {
    subject: foldText(subject),
    from: foldText(from),
    sender: foldText(sender),
    to: foldedLines(to, to_names),
    cc: foldedLines(cc, cc_names),
    bcc: foldedLines(bcc, bcc_names),
  }
}

/** Addresses and names, folded, each in a line of its own. */
function foldedLines(...lists: readonly (readonly string[])[]): string {
  return lists
    .flat()
    .map(foldText)
    .filter((line) => line !== '')
    .join('\n')
}

type HeadParts = Readonly<Record<'subject' | 'from' | 'sender' | 'to' | 'cc' | 'bcc', string>>

/** The parts that a search by a member looks at. `head-rows.ts` has them side by side. */
export const partsOfMember: Readonly<Record<HeadMember, readonly (keyof HeadParts)[]>> = {
  subject: ['subject'],
  from: ['from'],
  sender: ['from', 'sender'],
  to: ['to', 'cc', 'bcc'],
  cc: ['cc'],
}

const maxLength = 8 * 1024

/**
 * Whether an address names a mailbox that a search by its plain spelling misses, because its domain has other
 * characters with the same meaning, such as full-width letters.
 */
function isOddlySpelled(address: string): boolean {
  if (!/[^\x00-\x7f]/.test(address)) return false
  const bare = address.endsWith('>') ? address.slice(address.lastIndexOf('<') + 1, -1) : address
  const domainOf = (text: string): string => text.slice(text.lastIndexOf('@') + 1)
  const written = foldText(domainOf(bare))
  const ascii = domainOf(addressKey(bare))
  return ascii !== written && foldText(domainToUnicode(ascii)) !== written
}

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
