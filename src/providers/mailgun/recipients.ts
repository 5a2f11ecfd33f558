import type { FieldError } from '../../core/errors.ts'
import { parseAddresses, toMailbox } from '../../mime/headers/addresses.ts'
import { maxRecipients } from './send-schema.ts'

/** Splits the texts of a parameter, each of which may be a list of addresses. @param errors  Gets one if there are too many. */
export function addressesOf(field: string, texts: readonly string[], errors: FieldError[]): string[] {
  const all = splitAddresses(texts)
  if (all.length > maxRecipients)
    errors.push({ field, message: `must have at most ${maxRecipients} addresses, not ${all.length}` })
  return all
}

/** Splits texts that may each be a list of addresses. A text without an address stays, to be refused. */
export function splitAddresses(texts: readonly string[]): string[] {
  return texts.flatMap((text) => {
    const found = parseAddresses(text)
    if (found.length < 2) return [text]
    const pieces = text.split(',')
    if (pieces.length === found.length) return pieces.map((piece) => piece.trim())
    return found.map(({ name, address }) => toMailbox(name, address))
  })
}
