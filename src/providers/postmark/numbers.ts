import { createHash } from 'node:crypto'

/** A positive number of 48 bits for a text, where Postmark has numbers and Localpost has not. */
export function toNumber(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6)
}
