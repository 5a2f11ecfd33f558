import { createHash } from 'node:crypto'
import { maxFields } from '../headers/fields.ts'
import { sliceBytes } from '../slices.ts'

/** How white space and line ends are normalised before hashing. */
export type Canonicalization = 'simple' | 'relaxed'

/**
 * The SHA-256 of a canonical body, in base64. Processes the body in slices, because memory may hold no second copy of it.
 *
 * @param body  In one piece or several.
 * @param limit  How many canonical octets count, tag `l=`; null for all.
 * @returns The hash, and how many octets the canonical body has.
 * @see RFC 6376 section 3.4
 */
export function hashBody(
  body: Buffer | readonly Buffer[],
  canonicalization: Canonicalization,
  limit: number | null,
): { hash: string; octets: number } {
  const canonical = new CanonicalBody(canonicalization, limit)
  for (const piece of Buffer.isBuffer(body) ? [body] : body) {
    for (let start = 0; start < piece.length; start += sliceBytes)
      canonical.take(piece.toString('latin1', start, start + sliceBytes))
  }
  return canonical.end()
}

class CanonicalBody {
  readonly #isRelaxed: boolean
  readonly #limit: number
  readonly #hash = createHash('sha256')
  #octets = 0
  /** The end of a piece that depends on the next one: a space that a line end removes, or half a line end. */
  #held = ''
  /** Line ends that count only if something follows. */
  #emptyLines = 0

  constructor(canonicalization: Canonicalization, limit: number | null) {
    this.#isRelaxed = canonicalization === 'relaxed'
    this.#limit = limit ?? Number.POSITIVE_INFINITY
  }

  take(piece: string): void {
    let text = this.#held + piece
    // In two steps, each linear, so that spaces without a line end after them are not examined repeatedly.
    if (this.#isRelaxed) text = text.replace(/[ \t]{2,}|\t/g, ' ').replaceAll(' \r\n', '\r\n')
    const last = this.#isRelaxed ? text.slice(-2) : text.slice(-1).replace(' ', '')
    this.#held = /(?: ?\r| )$/.exec(last)?.[0] ?? ''
    this.#pass(text.slice(0, text.length - this.#held.length))
  }

  end(): { hash: string; octets: number } {
    if (!this.#isRelaxed || this.#held !== ' ') this.#pass(this.#held)
    // The last line always gets a line end; a body in simple form always has at least one line.
    if (this.#octets > 0 || !this.#isRelaxed) this.#emit('\r\n')
    return { hash: this.#hash.digest('base64'), octets: this.#octets }
  }

  #pass(text: string): void {
    let end = text.length
    while (end >= 2 && text.charCodeAt(end - 1) === 0x0a && text.charCodeAt(end - 2) === 0x0d) end -= 2
    if (end > 0) {
      while (this.#emptyLines > 0) {
        const lines = Math.min(this.#emptyLines, manyLines)
        this.#emit('\r\n'.repeat(lines))
        this.#emptyLines -= lines
      }
      this.#emit(text.slice(0, end))
    }
    this.#emptyLines += (text.length - end) / 2
  }

  #emit(text: string): void {
    const counted = Math.max(0, this.#limit - this.#octets)
    if (counted > 0) this.#hash.update(text.slice(0, counted), 'latin1')
    this.#octets += text.length
  }
}

/** How many empty lines are hashed at once, because a body may have millions. */
const manyLines = 32_768

/** A header field as transmitted, in Latin-1, without its last line end. */
export interface RawField {
  /** Lower case. */
  name: string
  written: string
}

/**
 * The fields of a header block, in order; lines that are no field are left out.
 *
 * @returns At most {@link maxFields} fields, and whether there are more. A signature covers the last fields of a name, so a
 *   signature cannot be checked if fields are missing.
 */
export function splitFields(block: string): { fields: RawField[]; isCut: boolean } {
  const fields: RawField[] = []
  let start = 0
  while (start < block.length) {
    let end = block.indexOf('\n', start)
    while (end !== -1 && (block[end + 1] === ' ' || block[end + 1] === '\t'))
      end = block.indexOf('\n', end + 1)
    const written = block.slice(start, end === -1 ? block.length : end).replace(/\r$/, '')
    const colon = written.indexOf(':')
    if (colon > 0 && fields.length === maxFields) return { fields, isCut: true }
    if (colon > 0) fields.push({ name: written.slice(0, colon).trim().toLowerCase(), written })
    if (end === -1) break
    start = end + 1
  }
  return { fields, isCut: false }
}

/**
 * A field in the signed form, without its last line end.
 *
 * @see RFC 6376 section 3.4
 */
export function canonicalField({ name, written }: RawField, canonicalization: Canonicalization): string {
  if (canonicalization === 'simple') return written
  const value = written
    .slice(written.indexOf(':') + 1)
    .replaceAll('\r\n', '')
    .replace(/[ \t]{2,}|\t/g, ' ')
  return `${name}:${value.replace(/^ /, '').replace(/ $/, '')}`
}
