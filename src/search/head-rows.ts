import type { EmailRecord } from '../emails/email.ts'
import { nextTurn } from '../core/machine.ts'
import { foldText } from './searchable.ts'
import { idAt, rowStarts } from './text-rows.ts'

/** The members of a mail that a head row has. `to` covers Cc and Bcc too. */
export type HeadMember = 'subject' | 'from' | 'to' | 'cc'

/** Something that a member of a mail contains, or not. */
export interface HeadTerm {
  member: HeadMember
  /** In lower case; one of them is enough. */
  forms: readonly Buffer[]
  isNegative: boolean
}

/** The matching rows of a block. */
export interface HeadHits {
  /** Where the matching rows begin, and those that cannot say, in order of arrival. */
  starts: number[]
  /** The ids of rows that cannot say; the record decides. */
  unsure: string[]
}

/**
 * Makes a term of a text to look for.
 *
 * @param forms  One of them is enough.
 * @returns null if rows cannot answer it, because a form is no well-formed Unicode.
 */
export function headTerm(member: HeadMember, forms: readonly string[], isNegative: boolean): HeadTerm | null {
  if (!forms.every(isWellFormed)) return null
  // A row that says what it has has none of these characters, but marks made of them.
  const findable = forms.map((form) => form.toLowerCase()).filter((form) => !/[\x00-\x1f\x7f]/.test(form))
  return { member, forms: findable.map((form) => Buffer.from(form)), isNegative }
}

/** The head of a mail for its row: exactly what the record says, or a mark that the row cannot say. */
export function headText({ subject, from, to, cc, bcc }: EmailRecord): string {
  const values = [subject, from, ...to, ...cc, ...bcc]
  const length = values.reduce((sum, value) => sum + value.length + 1, 0)
  if (length > mostLength || !values.every((value) => foldText(value) === value && isWellFormed(value)))
    return mark.unsure
  const lower = (list: readonly string[]): string => list.map((value) => value.toLowerCase()).join('\n')
  return `${mark.sure}${lower([subject, from])}${mark.to}${lower(to)}${mark.cc}${lower(cc)}${mark.bcc}${lower(bcc)}`
}

/** Finds the rows of a block that all terms hold for, and those that cannot say. */
export async function scanHeads(block: Buffer, terms: readonly HeadTerm[]): Promise<HeadHits> {
  const unsure = [...rowStarts(block, unsureByte)]
  const sure = new Set<number>()
  const driver = terms.find(({ isNegative, forms }) => !isNegative && forms.length <= 1)
  const needle = driver ? driver.forms[0] : rowBegin
  let looked = 0
  // A term without a form can only hold for rows that cannot say.
  for (const start of needle === undefined ? [] : rowStarts(block, needle)) {
    if (holdAll(block, start, terms)) sure.add(start)
    if (++looked % rowsPerTurn === 0) await nextTurn()
  }
  const ids = unsure.map((start) => idAt(block, start))
  for (const start of unsure) sure.add(start)
  return { starts: unsure.length === 0 ? [...sure] : [...sure].sort((a, b) => a - b), unsure: ids }
}

// A row: 0x00, id, "\n", sure, subject, "\n", from, to, … cc, … bcc, …, 0x02, 0x03. No value has one of these.
const mark = { sure: '\x07', unsure: '\x08', to: '\x04', cc: '\x05', bcc: '\x06' } as const
const unsureByte = Buffer.from(mark.unsure)
const rowBegin = Buffer.from('\0')
const headAt = 1 + 25 + 1 + 1
const newline = 10
const toMark = 4
const ccMark = 5
const bccMark = 6
const rowEnd = 2
const mostLength = 8 * 1024
const rowsPerTurn = 4096

function holdAll(block: Buffer, start: number, terms: readonly HeadTerm[]): boolean {
  if (block[start + headAt - 1] === unsureByte[0]) return false
  return terms.every((term) => holds(block, start + headAt, term))
}

function holds(block: Buffer, head: number, { member, forms, isNegative }: HeadTerm): boolean {
  const [from, to] = bounds(block, head, member)
  const value = block.subarray(from, to)
  const hasOne = forms.some((form) => value.includes(form))
  return hasOne !== isNegative
}

function bounds(block: Buffer, head: number, member: HeadMember): [number, number] {
  switch (member) {
    case 'subject':
      return [head, block.indexOf(newline, head)]
    case 'from': {
      const begin = block.indexOf(newline, head)
      return [begin, block.indexOf(toMark, begin)]
    }
    case 'to': {
      const begin = block.indexOf(toMark, head)
      return [begin, block.indexOf(rowEnd, begin)]
    }
    case 'cc': {
      const begin = block.indexOf(ccMark, head)
      return [begin, block.indexOf(bccMark, begin)]
    }
  }
}

/** Whether a text has no half of a surrogate pair, so that its bytes in UTF-8 say the same. */
function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}
