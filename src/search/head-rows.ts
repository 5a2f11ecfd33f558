import type { EmailRecord } from '../emails/email.ts'
import { nextTurn } from '../core/machine.ts'
import { foldText } from '../core/fold-text.ts'
import { idAt, idEnd, rowBegin, rowsWith } from './text-rows.ts'
import { type HeadMember, headParts, partsOfMember } from './searchable.ts'

export interface HeadTerm {
  member: HeadMember
  /** The spellings of the text, folded; one of them is enough. */
  forms: readonly Buffer[]
  isNegative: boolean
}

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
  return parts === null ? unsureMark : partOrder.map((part) => markBefore[part] + parts[part]).join('')
}

export async function scanHeads(block: Buffer, terms: readonly HeadTerm[]): Promise<HeadHits> {
  const unsure = [...rowsWith(block, unsureBytes)].map(({ start }) => start)
  const driver = terms.find(({ isNegative, forms }) => !isNegative && forms.length <= 1)
  const others = terms.filter((term) => term !== driver)
  const needle = driver ? driver.forms[0] : rowBeginBytes
  const starts: number[] = []
  let looked = 0
  // A term without a spelling matches no decided row.
  for (const { start, hit } of needle === undefined ? [] : rowsWith(block, needle)) {
    if (++looked % rowsPerTurn === 0) await nextTurn()
    const head = start + headAt
    if (block[head] === unsureByte) continue
    // Nearly always the first hit is in the wanted member, or it is the only hit.
    const isDriven = !driver || isIn(block, hit, driver.member) || holds(block, head, driver)
    if (isDriven && others.every((term) => holds(block, head, term))) starts.push(start)
  }
  if (unsure.length > 0) starts.push(...unsure)
  return {
    starts: unsure.length > 0 ? starts.sort((a, b) => a - b) : starts,
    unsure: unsure.map((start) => idAt(block, start)),
  }
}

// A row of text-rows.ts, with these bytes as its head: 0x00, id, "\n", each part after its mark, 0x02, 0x03; or the mark of an undecided one. No value has these bytes.
/** The parts of each of `partsOfMember` stand side by side here, in its order: a member is one range of the bytes. */
const partOrder = ['subject', 'from', 'sender', 'to', 'cc', 'bcc'] as const
/** A decided row begins with the mark of the subject. */
const markBefore = {
  subject: '\x07',
  from: '\x0b',
  sender: '\x0e',
  to: '\x04',
  cc: '\x05',
  bcc: '\x06',
} as const
const endMark = '\x02'
const unsureMark = '\x08'
const unsureByte = unsureMark.charCodeAt(0)
const unsureBytes = Buffer.from(unsureMark)
const newline = 10
const firstOfText = 32
const rowBeginBytes = Buffer.of(rowBegin)
/** After the line end that follows the id. */
const headAt = idEnd + 1
const rowsPerTurn = 4096

const places = {
  subject: placeOf('subject'),
  from: placeOf('from'),
  sender: placeOf('sender'),
  to: placeOf('to'),
  cc: placeOf('cc'),
}

/** The marks of the parts of a member, which stand side by side, and the mark after them. */
function placeOf(member: HeadMember): { marks: number[]; end: number } {
  const parts = partsOfMember[member]
  const next = partOrder[parts.length + partOrder.findIndex((part) => part === parts[0])]
  const end = next ? markBefore[next] : endMark
  return { marks: parts.map((part) => markBefore[part].charCodeAt(0)), end: end.charCodeAt(0) }
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
