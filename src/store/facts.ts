import { misuse } from './io-errors.ts'
import type { Facts, FactValues, FlagChange } from './queries.ts'
import type { StoredRecord } from './store.ts'

/** The facts of one record as numbers: the flags as bits, then the numbers, then the codes of texts from `textSlot(0)` on. */
export type FactRow = readonly number[]

/**
 * The facts of the records of a collection as numbers. A fact has a place among those of its kind (`at`), and a slot in
 * a row.
 */
export class FactTable {
  /** How many numbers a row has: flags, `numbers` numbers, and the codes of `texts` texts. */
  readonly width: number
  readonly numbers: number
  readonly texts: number
  readonly facts: Facts<StoredRecord>
  readonly #textCodes: readonly TextCodes[]

  constructor(facts: Facts<StoredRecord>) {
    this.facts = facts
    this.#textCodes = facts.texts.map(() => new TextCodes())
    this.numbers = facts.numbers.length
    this.texts = facts.texts.length
    this.width = 1 + this.numbers + this.texts
  }

  /** Identifies the definition of the facts: those that were stored with another one do not count. */
  get signature(): string {
    const { version, flags, numbers, texts } = this.facts
    return JSON.stringify([version, flags, numbers, texts])
  }

  numberSlot(at: number): number {
    return 1 + at
  }

  textSlot(at: number): number {
    return 1 + this.numbers + at
  }

  /** @param column  The flags, or the place of a text. */
  slotOf(column: number | 'flags'): number {
    return column === 'flags' ? 0 : this.textSlot(column)
  }

  /** The texts of a code; null if they are only in the record. */
  textsOf(at: number, code: number): readonly string[] | null {
    return this.#textCodes[at]?.of(code) ?? null
  }

  encode(record: object): FactRow | null {
    const values = factsOf(this.facts, record)
    if (values === null) return null
    // Filled by `push`, an array takes twice the memory: it has room for more.
    const row = Array<number>(this.width)
    let slot = 0
    row[slot++] = values.flags
    for (let i = 0; i < this.numbers; i++) row[slot++] = values.numbers[i] ?? 0
    for (let i = 0; i < this.texts; i++) row[slot++] = this.codeOf(i, values.texts[i] ?? [])
    return row
  }

  /** A row with a flag set; the same row if it has that already. */
  withFlag(row: FactRow, { flag, is }: FlagChange): FactRow {
    const bit = bitOf(this.facts, flag)
    const [flags = 0] = row
    return ((flags & bit) !== 0) === is ? row : [flags ^ bit, ...row.slice(1)]
  }

  /** The code for a list of texts. @param texts  null if they are only in the record. */
  codeOf(at: number, texts: readonly string[] | null): number {
    return (texts && this.#textCodes[at]?.encode(texts)) ?? unknownCode
  }
}

/** Adds each of the texts of a record to a tally. @param times  How many records have these texts. */
export function countTexts(texts: readonly string[], counts: Map<string, number>, times: number = 1): void {
  // Most records have none or one.
  for (const text of texts.length > 1 ? new Set(texts) : texts)
    counts.set(text, (counts.get(text) ?? 0) + times)
}

/** The facts of a record, for a condition that is checked against the record itself; null if there are none. */
export function factsOf<T>(facts: Facts<T>, record: object): FactValues | null {
  try {
    // Records are only what their collection's type says unless a person edited a file. Then this may throw.
    const values = facts.of(record as T)
    for (const value of values.numbers) if (!Number.isFinite(value)) return null
    for (const texts of values.texts) for (const text of texts) if (typeof text !== 'string') return null
    return values
  } catch {
    return null
  }
}

/** The place of a fact among those of its kind. @throws internal_error if the collection has no such fact. */
export function factAt(names: readonly string[] | undefined, name: string): number {
  const at = names?.indexOf(name) ?? -1
  if (at < 0) throw misuse(`The collection has no fact ${JSON.stringify(name)}.`)
  return at
}

/** The bit of a flag in the first number of a {@link FactRow}. */
export function bitOf({ flags }: { readonly flags: readonly string[] }, name: string): number {
  return 1 << factAt(flags, name)
}

/** A small number for each list of texts: 0 for the empty list, and {@link unknownCode} for one that is only in the record. */
class TextCodes {
  /** By code: the first two are fixed. */
  readonly #lists: (readonly string[] | null)[] = [[], null]
  readonly #single: Map<string, number> = new Map()
  readonly #several: Map<string, number> = new Map()
  #held = 0

  encode(texts: readonly string[]): number {
    const [first] = texts
    if (first === undefined) return 0
    const isSingle = texts.length === 1
    const codes = isSingle ? this.#single : this.#several
    const key = isSingle ? first : JSON.stringify(texts)
    const known = codes.get(key)
    if (known !== undefined) return known
    // Records with texts beyond these limits are read.
    if (key.length > maxTextLength || this.#held + key.length > maxHeldText || this.#lists.length > maxCode)
      return unknownCode
    const code = this.#lists.length
    // A part of a longer string would keep all of it in memory.
    const own = [...texts].map((text) => Buffer.from(text, 'utf16le').toString('utf16le'))
    codes.set(isSingle ? (own[0] ?? '') : key, code)
    this.#lists.push(own)
    this.#held += key.length
    return code
  }

  of(code: number): readonly string[] | null {
    return this.#lists[code] ?? null
  }
}

const unknownCode = 1
const maxCode = 0xffff
const maxTextLength = 1024
const maxHeldText = 4 * 1024 * 1024
