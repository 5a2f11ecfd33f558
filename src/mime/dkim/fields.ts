import type { Canonicalization } from './body.ts'
import { maxFields } from '../headers/fields.ts'

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
