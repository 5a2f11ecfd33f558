import type { FieldError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { fieldName } from '../core/validate.ts'
import { headerFault } from './recipients.ts'
import { maxHeaderChars, maxHeaders, maxMetadata, maxMetadataChars } from './schema.ts'

/**
 * Checks the header fields that a request adds to its message. Fields that are written here are refused: a second one
 * would contradict the record of the email.
 *
 * @see RFC 5322 section 2.2 for the form of names, section 2.1.1 for the length of lines
 */
export function checkHeaders(headers: Readonly<Record<string, string>>, errors: FieldError[]): void {
  checkSize('headers', headers, maxHeaders, maxHeaderChars, errors)
  const names = new Set<string>()
  for (const [name, value] of Object.entries(headers)) {
    const problem = nameProblem(name, names) ?? valueProblem(value)
    if (problem !== null) errors.push({ field: fieldName(['headers', name]), message: problem })
    names.add(name.toLowerCase())
  }
}

/** Checks the names and values that are kept with an email. */
export function checkMetadata(metadata: Readonly<Record<string, string>>, errors: FieldError[]): void {
  checkSize('metadata', metadata, maxMetadata, maxMetadataChars, errors)
  for (const name of Object.keys(metadata)) {
    if (/^[^\x00-\x1f\x7f]{1,256}$/.test(name)) continue
    const message = `${quote(name)} must be a name of 1 to 256 characters without control characters`
    errors.push({ field: 'metadata', message })
  }
}

function checkSize(
  field: string,
  given: Readonly<Record<string, string>>,
  maxNames: number,
  maxChars: number,
  errors: FieldError[],
): void {
  const entries = Object.entries(given)
  const chars = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (entries.length > maxNames)
    errors.push({ field, message: `must have at most ${maxNames} names, not ${entries.length}` })
  if (chars > maxChars)
    errors.push({ field, message: `must have at most ${maxChars} characters together, not ${chars}` })
}

function nameProblem(name: string, earlier: ReadonlySet<string>): string | null {
  const lower = name.toLowerCase()
  if (!/^[!-9;-~]{1,76}$/.test(name))
    return `${quote(name)} must be 1 to 76 visible ASCII characters without a colon`
  if (writtenFields.has(lower) || lower.startsWith('content-'))
    return `is written by Localpost from the other members; leave ${quote(name)} out of headers`
  return earlier.has(lower) ? 'is given twice, in different case' : null
}

function valueProblem(value: string): string | null {
  if (value.trim() === '') return 'must not be empty'
  const fault = headerFault(value)
  if (fault !== null) return `${quote(value)} ${fault}`
  // A word of ASCII cannot be folded, so it must fit in a line of 998 octets. The same limit is for all words, to be simple.
  const isLong = value.length > maxWord && value.split(/[ \t]/).some((word) => word.length > maxWord)
  return isLong ? `${quote(value)} has more than ${maxWord} characters without a space between them` : null
}

const maxWord = 900

/** The fields that each message gets from the other members of its request, from its signature or on its way. */
const writtenFields: ReadonlySet<string> = new Set([
  'from',
  'to',
  'cc',
  'bcc',
  'resent-bcc',
  'reply-to',
  'subject',
  'date',
  'message-id',
  'mime-version',
  'dkim-signature',
  'return-path',
  'received',
])
