import type { EmailRecord } from '../emails/email.ts'
import { nextTurn } from '../core/machine.ts'
import { foldText } from '../core/fold-text.ts'
import type { FoundRows } from './block-scan.ts'
import { idAt, idEnd, rowBegin, rowsWith } from './text-rows.ts'
import { type HeadMember, headParts, partsOfMember } from './searchable.ts'

// A row of text-rows.ts, whose head is the parts of a mail, each after its mark; or the mark of an undecided row:
//
//   0x00, id, "\n", 0x07 subject, 0x0b from, 0x0e sender, 0x04 to, 0x05 cc, 0x06 bcc, 0x02, 0x03
//   0x00, id, "\n", 0x08, 0x03
//
// No part has these bytes. The parts that a member looks at stand side by side, so that each member is one range of the bytes.
const mark = {
  subject: 0x07,
  from: 0x0b,
  sender: 0x0e,
  to: 0x04,
  cc: 0x05,
  bcc: 0x06,
  end: 0x02,
  unsure: 0x08,
} as const
const partOrder = ['subject', 'from', 'sender', 'to', 'cc', 'bcc'] as const

const places = {
  subject: placeOf('subject'),
  from: placeOf('from'),
  sender: placeOf('sender'),
  to: placeOf('to'),
  cc: placeOf('cc'),
}

/** The marks of the parts of a member, which stand side by side, and the mark after them. */
function placeOf(member: HeadMember): { readonly marks: readonly number[]; readonly end: number } {
  const parts = partsOfMember[member]
  const next = partOrder[partOrder.findIndex((part) => part === parts.at(-1)) + 1]
  return { marks: parts.map((part) => mark[part]), end: next ? mark[next] : mark.end }
}

const newline = 10
const firstOfText = 32
const rowBeginBytes = Buffer.of(rowBegin)
const unsureBytes = Buffer.of(mark.unsure)
/** After the line end that follows the id. */
const headAt = idEnd + 1
const rowsPerTurn = 4096

/** A condition on one member of mails. */
export interface HeadTerm {
  member: HeadMember
  /** The spellings of the text, folded; one of them is enough. */
  forms: readonly Buffer[]
  isNegative: boolean
}

/**
 * Makes a term from the spellings of a text.
 *
 * @param forms  One of them is enough.
 */
export function headTerm(
  member: HeadMember,
  forms: readonly string[],
  { isNegative = false }: { isNegative?: boolean } = {},
): HeadTerm {
  const folded = new Set(forms.map(foldText))
  return { member, forms: [...folded].map((form) => Buffer.from(form)), isNegative }
}

/** The head of a mail for its row: exactly what the record contains, or a mark that the row is undecided. */
export function headText(email: EmailRecord): string {
  const parts = headParts(email)
  if (parts === null) return String.fromCharCode(mark.unsure)
  return partOrder.map((part) => String.fromCharCode(mark[part]) + parts[part]).join('')
}

/** Finds the rows of a block that match all terms, and those that are undecided. */
export async function scanHeads(block: Buffer, terms: readonly HeadTerm[]): Promise<FoundRows> {
  const unsure = [...rowsWith(block, unsureBytes)].map(({ start }) => start)
  // The first positive term with one spelling is searched in the bytes of the whole block; the other terms are checked only in
  // the rows that it finds, so that most rows are not looked at.
  const searched = terms.find(({ isNegative, forms }) => !isNegative && forms.length <= 1)
  const others = terms.filter((term) => term !== searched)
  const needle = searched ? searched.forms[0] : rowBeginBytes
  const starts: number[] = []
  let looked = 0
  // A term without a spelling matches no decided row: then nothing is searched.
  for (const { start, hit } of needle === undefined ? [] : rowsWith(block, needle)) {
    if (++looked % rowsPerTurn === 0) await nextTurn()
    const head = start + headAt
    if (block[head] === mark.unsure) continue
    // Nearly always the first hit is in the wanted member, or it is the only hit.
    const isFound = !searched || isIn(block, hit, searched.member) || holds(block, head, searched)
    if (isFound && others.every((term) => holds(block, head, term))) starts.push(start)
  }
  if (unsure.length === 0) return { starts, unsure: new Set() }
  starts.push(...unsure)
  return { starts: starts.sort((a, b) => a - b), unsure: new Set(unsure.map((start) => idAt(block, start))) }
}

function isIn(block: Buffer, place: number, member: HeadMember): boolean {
  let at = place
  for (; at > 0; at--) {
    const byte = block[at] ?? 0
    if (byte < firstOfText && byte !== newline) break
  }
  return places[member].marks.includes(block[at] ?? 0)
}

function holds(block: Buffer, head: number, { member, forms, isNegative }: HeadTerm): boolean {
  const { marks, end } = places[member]
  const begin = block.indexOf(marks[0] ?? 0, head)
  const value = block.subarray(begin, block.indexOf(end, begin))
  return forms.some((form) => value.includes(form)) !== isNegative
}
