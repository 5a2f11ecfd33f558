import { codeWord, otherCode, otherNumber, savingWord, useWord } from './code-words.ts'
import {
  digitCodes,
  letterCodes,
  introducedCodes,
  endsInIntroduction,
  yearForm,
  introducedYears,
  pairCodes,
  dateOfPairs,
  phoneOrDate,
  loneCode,
  introducedLoneCode,
  surroundingMarks,
} from './code-forms.ts'

/**
 * Finds the one-time codes in a mail, in order of appearance. A code has 4 to 8 digits (also written as `123 456`,
 * `123-456` or with spaces between all digits), or consists of capital letters and digits. It is in a sentence that
 * mentions a code, or alone on a line below such a sentence. Years, prices, dates, phone numbers, order numbers, coupon
 * codes and postal codes are left out.
 *
 * @param text  The subject and the visible text, with line breaks. Only the first 200,000 characters are searched.
 */
export function extractCodes(text: string): string[] {
  const codes = new Set<string>()
  /** How many lines ago a code was mentioned. */
  let linesSince = Number.POSITIVE_INFINITY
  let lineBefore = ''
  for (const line of plainLines(text)) {
    const { found, isMentioned } = inLine(line, linesSince <= maxLinesBelow)
    linesSince = isMentioned ? 0 : linesSince + 1
    const isBelow = linesSince <= maxLinesBelow
    if (found.length === 0 && isBelow && !isOfOther(lineBefore))
      found.push(...loneCodeOf(line, introducesNext(lineBefore)))
    // A list of codes may have any length, so each code extends the window.
    if (found.length > 0 && isBelow) linesSince = 0
    for (const code of found) codes.add(code)
    lineBefore = line
  }
  return [...codes]
}

/** How much of the text is searched, in characters. */
export const maxCharsForCodes: number = 200_000
/** How many lines below the mention of a code the code itself may be. */
const maxLinesBelow = 4
const sentenceEnd = /(?<=[.!?])\s+|(?<=[。！？؟])/

/**
 * The codes in the sentences of a line.
 *
 * @param isBelow  Whether a line above mentions a code.
 * @returns Also whether a sentence mentions a code.
 */
function inLine(line: string, isBelow: boolean): { found: string[]; isMentioned: boolean } {
  const found: string[] = []
  let isMentioned = false
  const sentences = line.split(sentenceEnd).flatMap(inPieces)
  for (const [at, sentence] of sentences.entries()) {
    const mentions = mentionsCode(sentence)
    // "Enter 338127. This code expires soon."
    const isAsked = asksToUse(sentence) && (isBelow || isMentioned || explains(sentences[at + 1]))
    if (mentions || isAsked) found.push(...inSentence(sentence))
    isMentioned ||= mentions
  }
  return { found, isMentioned }
}

/** Splits a sentence at its spaces if it is too long to be written by a person. */
function inPieces(sentence: string): string[] {
  if (sentence.length <= longestSentence) return [sentence]
  return sentence.match(pieceOfSentence) ?? []
}

const longestSentence = 4000
const pieceOfSentence = /.{1,3900}(?: |$)|.{1,4000}/gsu

/** The lines that are not empty, with white space folded. Consecutive lines of one digit each are joined. */
function* plainLines(text: string): Generator<string> {
  const plain = text
    .slice(0, maxCharsForCodes)
    // Full-width, Arabic and Persian digits become ASCII digits. Invisible characters are removed below.
    .replace(/[０-９]/g, (digit) => String(digit.charCodeAt(0) - 0xff10))
    .replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replace(/[۰-۹]/g, (digit) => String(digit.charCodeAt(0) - 0x6f0))
    // Removes emphasis in text parts: *123456*.
    .replace(/(?<![\w*])\*{1,2}([^\s*][^*\r\n]{0,30})\*{1,2}(?![\w*])/g, '$1')
    .replace(/\u034f|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
  let boxes = ''
  for (const line of plain.split(/\r?\n/)) {
    const folded = line.replace(/\s+/g, ' ').trim()
    if (folded === '') continue
    if (/^\d$/.test(folded)) {
      boxes += folded
      continue
    }
    if (boxes !== '') yield boxes
    boxes = ''
    yield folded
  }
  if (boxes !== '') yield boxes
}

function mentionsCode(sentence: string): boolean {
  return codeWord.test(sentence.replace(otherCode, ' '))
}

/** Whether a line ends with "Your code:" or "The code is". */
function introducesNext(line: string): boolean {
  return endsInIntroduction.test(line) && mentionsCode(line.split(' ').slice(-2).join(' '))
}

/** Whether a heading says that the number below it is not a code. */
function isOfOther(heading: string): boolean {
  return otherNumber.test(heading) && !mentionsCode(heading)
}

function asksToUse(sentence: string): boolean {
  return useWord.test(sentence.replace(/\bUSA\b/g, ' '))
}

/** Whether a sentence is about the code of the sentence before it. */
function explains(sentence = ''): boolean {
  return (
    /^(?:this|the|your|dieser?|der|ce|cet|le|votre|est[ea]|el|la|tu|su|o|a|quest[oa]|il)\b/i.test(sentence) &&
    mentionsCode(sentence)
  )
}

function inSentence(sentence: string): string[] {
  // Most sentences have neither, which costs less to find out than each of the forms below.
  if (!/\d|[A-Z]{4}/.test(sentence)) return []
  const line = sentence.replace(phoneOrDate, (number) => ' '.repeat(number.length))
  const inPairs = [...sentence.matchAll(pairCodes)].filter(([, code = '']) => !dateOfPairs.test(code))
  const inLetters = savingWord.test(sentence)
    ? []
    : [...line.matchAll(letterCodes), ...line.matchAll(introducedCodes)]
  const found = [...inPairs, ...line.matchAll(digitCodes), ...inLetters]
  if (found.length === 0) return []
  // Searched once for the whole line, because a line may contain many years.
  const years = new Set([...line.matchAll(introducedYears)].map((match) => match[1] ?? match[2]))
  const namesOther = otherNumber.test(line)
  return found
    .sort((a, b) => a.index - b.index)
    .filter(({ index }) => !namesOther || isNamedCode(line.slice(Math.max(0, index - labelLength), index)))
    .map((match) => match[1] ?? match[2] ?? '')
    .filter((code) => !yearForm.test(code) || years.has(code))
    .map(compact)
}

/** How many characters before a number are searched for its label. */
const labelLength = 40

/** Whether the last label before a number is a word for a code, not for another kind of number. */
function isNamedCode(label: string): boolean {
  return mentionsCode(label.split(otherNumber).at(-1) ?? '')
}

/** In characters, with the marks around the code. */
const maxLoneLength = 28

/** The code that a line consists of. Letters in mixed case are one only if the line above introduces it. */
function loneCodeOf(line: string, isIntroduced: boolean): string[] {
  if (line.length > maxLoneLength) return []
  const bare = line.replace(surroundingMarks, '')
  const [, ...forms] = loneCode.exec(bare) ?? (isIntroduced ? introducedLoneCode.exec(bare) : null) ?? []
  const code = forms.find((form) => form !== undefined) ?? ''
  return code === '' || yearForm.test(code) ? [] : [compact(code)]
}

// Spaces and dashes between digits are only for readability. Forms expect the code without them.
function compact(code: string): string {
  if (/^\d[\d -]*\d$/.test(code)) return code.replace(/[ -]/g, '')
  return /^\w(?: \w)+$/.test(code) ? code.replaceAll(' ', '') : code
}
