import type { FieldError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import {
  addressKey,
  normalizeAddress,
  parseAddresses,
  type ParsedAddress,
  displayNames,
} from '../mime/headers/addresses.ts'
import { foldSpace } from '../core/text.ts'

/** The addresses of a send request, checked. */
export interface Addresses {
  /** Display name plus address as given, white space folded. */
  from: string
  /** The bare address of `from`. */
  from_address: string
  /** The sender of the envelope, if it is not `from_address`. */
  mail_from?: string
  to: string[]
  /** See {@link displayNames}. */
  to_names: string[] | undefined
  cc: string[]
  cc_names: string[] | undefined
  bcc: string[]
  bcc_names: string[] | undefined
  reply_to: string | null
  /** Every distinct recipient of to, cc and bcc, in that order; compared by {@link addressKey}. */
  rcpt_to: string[]
}

type Given = string | readonly string[] | undefined

interface RecipientReading {
  errors: FieldError[]
  warnings: string[]
  /** How many addresses were read so far. */
  named: number
}

/**
 * Checks the addresses of a send request.
 *
 * @param given  As in the request.
 * @param errors  Receives one entry per wrong member.
 * @param warnings  Receives forms that are accepted although the interface does not show them.
 * @param max  How many distinct recipients the email may have.
 * @returns The addresses; valid only if no error was added.
 */
export function readAddresses(
  given: { from?: string; to?: Given; cc?: Given; bcc?: Given; reply_to?: Given },
  errors: FieldError[],
  warnings: string[],
  max: number = maxRecipients,
): Addresses {
  const from = readOne('from', given.from, errors)
  const replyTo = readReplyTo(given.reply_to, errors)
  const reading: RecipientReading = { errors, warnings, named: 0 }
  const before = errors.length
  const to = readList('to', given.to, reading)
  const cc = readList('cc', given.cc, reading)
  const bcc = readList('bcc', given.bcc, reading)
  const rcpt_to = distinct([...to.addresses, ...cc.addresses, ...bcc.addresses])
  if (reading.named > maxNamed || (errors.length === before && rcpt_to.length > max)) {
    const found = reading.named > maxNamed ? `more than ${maxNamed}` : `${rcpt_to.length} distinct`
    const message = `${found} recipients in to, cc and bcc: at most ${max} are allowed`
    errors.push({ field: 'to', message })
  }
  return {
    from: from?.written ?? '',
    from_address: from?.address ?? '',
    to: to.addresses,
    to_names: to.names,
    cc: cc.addresses,
    cc_names: cc.names,
    bcc: bcc.addresses,
    bcc_names: bcc.names,
    reply_to: replyTo,
    rcpt_to,
  }
}

/** How many distinct recipients an email of the interface may have. */
export const maxRecipients = 50
/** How many addresses are parsed, including repeated ones; the last string is parsed to its end. */
const maxNamed = 1000

/** Each mailbox once, as it is written first. */
export function distinct(addresses: string[]): string[] {
  if (addresses.length < 2) return addresses
  const byKey = new Map<string, string>()
  for (const address of addresses) {
    const key = addressKey(address)
    if (!byKey.has(key)) byKey.set(key, address)
  }
  return [...byKey.values()]
}

function readOne(
  field: string,
  given: string | undefined,
  errors: FieldError[],
): { written: string; address: string } | undefined {
  if (given === undefined || !isOneLine(field, given, errors)) return undefined
  const parsed = parseAddresses(given)
  const [first] = parsed
  if (!first?.address || parsed.length > 1) {
    const found = parsed.length > 1 ? 'more than one' : 'none'
    const message = `must be one address such as "Acme <hi@acme.com>": ${quote(given)} has ${found}`
    errors.push({ field, message })
    return undefined
  }
  const address = readAddress(field, given, first, compactOf(given), errors)
  return address === null ? undefined : { written: foldSpace(given), address }
}

/** The value of Reply-To, white space folded; null without one. */
function readReplyTo(given: Given, errors: FieldError[]): string | null {
  if (given === undefined || typeof given === 'string')
    return readOne('reply_to', given, errors)?.written ?? null
  const reading: RecipientReading = { errors, warnings: [], named: 0 }
  readList('reply_to', given, reading)
  const written = foldSpace(given.join(', '))
  if (reading.named > maxNamed)
    errors.push({ field: 'reply_to', message: `must have at most ${maxNamed} addresses` })
  else if (written.length > maxReplyToChars)
    errors.push({ field: 'reply_to', message: `must have at most ${maxReplyToChars} characters in all` })
  return written
}

const maxReplyToChars = 20_000

/** The address of an entry of a text; null, and an error, if it cannot be used. */
function readAddress(
  field: string,
  text: string,
  entry: ParsedAddress,
  compact: string,
  errors: FieldError[],
): string | null {
  const fault = strayText(compact, entry)
  const result = fault === null ? normalizeAddress(entry.address) : { problem: fault }
  if (!('problem' in result)) return result.address
  errors.push({ field, message: `${quote(fault === null ? entry.address : text)} ${result.problem}` })
  return null
}

function readList(
  field: string,
  given: Given,
  reading: RecipientReading,
): { addresses: string[]; names: string[] | undefined } {
  if (given === undefined) return { addresses: [], names: undefined }
  const { errors, warnings } = reading
  const addresses: string[] = []
  const entries: ParsedAddress[] = []
  if (given.length === 0) errors.push({ field, message: 'must be an address, not an empty array' })
  for (const text of typeof given === 'string' ? [given] : given) {
    if (reading.named > maxNamed) break
    if (!isOneLine(field, text, errors)) continue
    const parsed = parseAddresses(text)
    const compact = compactOf(text)
    reading.named += parsed.length
    if (parsed.length === 0) errors.push({ field, message: `must be an address: ${quote(text)} has none` })
    for (const entry of parsed) {
      if (entry.address === '') {
        errors.push({ field, message: `must be an address: ${quote(entry.name || text)} has none` })
        continue
      }
      const address = readAddress(field, text, entry, compact, errors)
      if (address === null) continue
      addresses.push(address)
      entries.push(entry)
    }
  }
  if (typeof given !== 'string') warnings.push(`${field} is an array; the interface shows one address`)
  else if (addresses.length > 1) warnings.push(`${field} is a list of addresses; the interface shows one`)
  return { addresses, names: displayNames(entries) }
}

// From `a@x.test b@x.test` the parser makes one address, with the other as its display name, which would then get no
// mail. From `a b@x.test` it takes only the end. A name in a comment, `ada@x.test (Ada)`, is valid by RFC 5322.
function strayText(compact: string, { name, address }: ParsedAddress): string | null {
  if (name === '' || compact.includes(`<${compactOf(address)}>`)) return null
  if (name.includes('@')) return 'has two addresses without a comma between them'
  return compact.includes('(') ? null : `has text beside ${quote(address)}, which then needs angle brackets`
}

// Made once per text, not once per address: a text may have thousands.
function compactOf(text: string): string {
  return text.replace(/\s+/g, '')
}

function isOneLine(field: string, text: string, errors: FieldError[]): boolean {
  const fault = headerFault(text)
  if (fault !== null) errors.push({ field, message: `${quote(text)} ${fault}` })
  return fault === null
}

/**
 * Says why a text cannot be the value of a header field: a line break would let the caller write further fields, and
 * half of a surrogate pair has no form in UTF-8.
 *
 * @returns The end of a sentence that begins with the text; null if it is valid.
 */
export function headerFault(text: string): string | null {
  if (!/[\r\n\0\ud800-\udfff]/.test(text)) return null
  if (/[\r\n\0]/.test(text)) return 'has a line break or NUL, which a header field cannot hold'
  return /\p{Surrogate}/u.test(text) ? 'has half of a surrogate pair, which is not a character' : null
}
