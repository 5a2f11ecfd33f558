import { domainToUnicode } from 'node:url'
import type { EmailRecord } from '../emails/email.ts'
import { addressKey } from '../mime/headers/addresses.ts'
import { nextTurn } from '../core/machine.ts'
import { foldSpace } from '../mime/fold-space.ts'
import { idAt, rowsWith } from './text-rows.ts'

/** The members of a mail that a head row has. `to` covers Cc and Bcc too, `sender` From and the envelope sender. */
export type HeadMember = 'subject' | 'from' | 'sender' | 'to' | 'cc'

/** A condition: a member of a mail contains a text, or does not. */
export interface HeadTerm {
  member: HeadMember
  /** The spellings of the text, in lower case; one of them is enough. */
  forms: readonly Buffer[]
  isNegative: boolean
}

/** The matching rows of a block. */
export interface HeadHits {
  /** Where the matching and the undecided rows begin, in order of arrival. */
  starts: number[]
  /** The ids of the undecided rows: their records decide. */
  unsure: string[]
}

/**
 * Makes a term from the spellings of a text.
 *
 * @param forms  One of them is enough.
 * @returns null if rows cannot decide it, because a spelling is not well-formed Unicode.
 */
export function headTerm(member: HeadMember, forms: readonly string[], isNegative: boolean): HeadTerm | null {
  if (!forms.every(isWellFormed)) return null
  // In a decided row these characters are only used as marks.
  const findable = forms.map((form) => form.toLowerCase()).filter((form) => !/[\x00-\x1f\x7f]/.test(form))
  return { member, forms: findable.map((form) => Buffer.from(form)), isNegative }
}

/** The members of a mail in lower case, addresses in lines; null if they are only known from the record. */
export function headParts({ subject, from, to, cc, bcc, envelope }: EmailRecord): HeadParts | null {
  // Usually the same as in From.
  const sender = from.includes(envelope.mail_from) ? '' : envelope.mail_from
  const addresses = [from, sender, ...to, ...cc, ...bcc]
  const values = [subject, ...addresses]
  const length = values.reduce((sum, value) => sum + value.length + 1, 0)
  if (length > mostLength || !values.every((value) => foldSpace(value) === value && isWellFormed(value)))
    return null
  if (addresses.some(isOddlySpelled)) return null
  const lower = (list: readonly string[]): string => list.map((value) => value.toLowerCase()).join('\n')
  return {
    subject: lower([subject]),
    from: lower([from]),
    sender: lower([sender]),
    to: lower(to),
    cc: lower(cc),
    bcc: lower(bcc),
  }
}

type HeadParts = Readonly<Record<'subject' | 'from' | 'sender' | 'to' | 'cc' | 'bcc', string>>

/** The parts that a term for a member looks at. */
export const partsOfMember: Readonly<Record<HeadMember, readonly (keyof HeadParts)[]>> = {
  subject: ['subject'],
  from: ['from'],
  sender: ['from', 'sender'],
  to: ['to', 'cc', 'bcc'],
  cc: ['cc'],
}

/** The head of a mail for its row: exactly what the record contains, or a mark that the row is undecided. */
export function headText(email: EmailRecord): string {
  const parts = headParts(email)
  if (parts === null) return mark.unsure
  const { subject, from, sender, to, cc, bcc } = parts
  return `${mark.sure}${subject}${mark.from}${from}${mark.sender}${sender}${mark.to}${to}${mark.cc}${cc}${mark.bcc}${bcc}`
}

/** Finds the rows of a block that match all terms, and the undecided ones. */
export async function scanHeads(block: Buffer, terms: readonly HeadTerm[]): Promise<HeadHits> {
  const unsure = [...rowsWith(block, unsureBytes)].map(({ start }) => start)
  const driver = terms.find(({ isNegative, forms }) => !isNegative && forms.length <= 1)
  const others = terms.filter((term) => term !== driver)
  const needle = driver ? driver.forms[0] : rowBegin
  const starts: number[] = []
  let looked = 0
  // A term without a spelling matches no decided row.
  for (const { start, hit } of needle === undefined ? [] : rowsWith(block, needle)) {
    if (++looked % rowsPerTurn === 0) await nextTurn()
    if (block[start + headAt - 1] === unsureByte) continue
    // Nearly always the first hit is in the wanted member, or it is the only hit.
    const isDriven = !driver || isIn(block, hit, driver.member) || holds(block, start + headAt, driver)
    if (isDriven && others.every((term) => holds(block, start + headAt, term))) starts.push(start)
  }
  if (unsure.length > 0) starts.push(...unsure)
  return {
    starts: unsure.length > 0 ? starts.sort((a, b) => a - b) : starts,
    unsure: unsure.map((start) => idAt(block, start)),
  }
}

// A row: 0x00, id, "\n", sure, subject, from, …, sender, …, to, … cc, … bcc, …, 0x02, 0x03. No value has these bytes.
const mark = {
  sure: '\x07',
  unsure: '\x08',
  from: '\x0b',
  sender: '\x0e',
  to: '\x04',
  cc: '\x05',
  bcc: '\x06',
} as const
const sureByte = 7
const unsureByte = 8
const fromByte = 11
const senderByte = 14
const toByte = 4
const ccByte = 5
const bccByte = 6
const endByte = 2
const newline = 10
const firstOfText = 32
const unsureBytes = Buffer.from(mark.unsure)
const rowBegin = Buffer.from('\0')
const headAt = 1 + 25 + 1 + 1
const mostLength = 8 * 1024
const rowsPerTurn = 4096

/** Whether a place in a row is in a member. */
function isIn(block: Buffer, place: number, member: HeadMember): boolean {
  let at = place
  for (; at > 0; at--) {
    const byte = block[at] ?? 0
    if (byte < firstOfText && byte !== newline) break
  }
  const begun = block[at]
  switch (member) {
    case 'subject':
      return begun === sureByte
    case 'from':
      return begun === fromByte
    case 'sender':
      return begun === fromByte || begun === senderByte
    case 'to':
      return begun === toByte || begun === ccByte || begun === bccByte
    case 'cc':
      return begun === ccByte
  }
}

function holds(block: Buffer, head: number, { member, forms, isNegative }: HeadTerm): boolean {
  const [begin, end] = bounds(block, head, member)
  const value = block.subarray(begin, end)
  return forms.some((form) => value.includes(form)) !== isNegative
}

function bounds(block: Buffer, head: number, member: HeadMember): [number, number] {
  switch (member) {
    case 'subject':
      return [head, block.indexOf(fromByte, head)]
    case 'from': {
      const begin = block.indexOf(fromByte, head)
      return [begin, block.indexOf(senderByte, begin)]
    }
    case 'sender': {
      const begin = block.indexOf(fromByte, head)
      return [begin, block.indexOf(toByte, begin)]
    }
    case 'to': {
      const begin = block.indexOf(toByte, head)
      return [begin, block.indexOf(endByte, begin)]
    }
    case 'cc': {
      const begin = block.indexOf(ccByte, head)
      return [begin, block.indexOf(bccByte, begin)]
    }
  }
}

/**
 * Whether an address names a mailbox that a search by its plain spelling misses, because its domain has other
 * characters with the same meaning, such as full-width letters.
 */
function isOddlySpelled(address: string): boolean {
  if (!/[^\x00-\x7f]/.test(address)) return false
  const bare = address.endsWith('>') ? address.slice(address.lastIndexOf('<') + 1, -1) : address
  const domainOf = (text: string): string => text.slice(text.lastIndexOf('@') + 1)
  const written = domainOf(bare).normalize('NFC').toLowerCase()
  const ascii = domainOf(addressKey(bare))
  return ascii !== written && domainToUnicode(ascii) !== written
}

/** Whether a text has no half of a surrogate pair, so that UTF-8 can represent it. */
function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}
