/** A small number for each list of texts: 0 for the empty list. */
export class TextCodes {
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
    if (key.length > mostText || this.#held + key.length > mostHeld || this.#lists.length > mostCode)
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

export const unknownCode = 1
const mostCode = 0xffff
const mostText = 1024
const mostHeld = 4 * 1024 * 1024
