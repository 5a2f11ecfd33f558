import { decodeEncodedWords } from './encoded-words.ts'
import { textOf } from './octets.ts'

/**
 * The value of a header field, decoded as receivers do.
 *
 * @param name  In any case.
 * @param value  As `decodeOctets` returns it.
 */
export function decodeField(name: string, value: string): string {
  return isStructuredField(name) ? textOf(value) : decodeHeaderValue(value)
}

/**
 * Decodes the encoded words of a header value; what cannot be decoded stays as written.
 *
 * @param value  As `decodeOctets` returns it.
 * @see RFC 2047
 */
export function decodeHeaderValue(value: string): string {
  return value.length > maxValueLength ? textOf(value) : decodeEncodedWords(value)
}

/** An encoded value longer than this is not decoded. */
const maxValueLength = 256 * 1024

/** Whether a field has no text for people, so that its value is taken as written. */
export function isStructuredField(name: string): boolean {
  return structured.has(name.toLowerCase())
}

/**
 * Fields that have no text for people: receivers decode no encoded words in them (RFC 2047 section 5). Those with media
 * types are not among them, because clients decode names of files.
 */
const structured: ReadonlySet<string> = new Set(
  (
    'date message-id in-reply-to references return-path resent-date resent-message-id mime-version list-unsubscribe ' +
    'list-unsubscribe-post list-help list-subscribe list-post list-owner list-archive'
  ).split(' '),
)
