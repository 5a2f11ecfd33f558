import { Readable } from 'node:stream'
import { decodeBase64 } from '../mime/base64.ts'
import type { FieldError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import type { TraceContext } from '../core/trace-context.ts'
import { readHeaderFacts } from '../emails/header-facts.ts'
import { withoutBcc } from '../mime/compose/without-bcc.ts'
import { normalizeAddress } from '../mime/headers/addresses.ts'
import { readHeader, type HeaderBlock } from '../mime/headers/headers.ts'
import { maxFields } from '../mime/headers/fields.ts'
import { parseMessage } from '../mime/parse.ts'
import { assertSize } from './body-size.ts'
import { distinct, type Addresses } from './recipients.ts'
import type { SendingRequest } from './types.ts'

/** A whole message that was sent as it is. */
export interface RawMessage {
  /** Without Bcc fields, with CRLF as line ends. */
  bytes: Uint8Array
  /** Those of its X-Tags field. */
  tags: string[]
  trace: TraceContext | undefined
  /** The conversation that its header says it answers in. */
  thread: string | undefined
  attachment_count: number
}

/** What the check finds in a raw message. */
interface CheckedRaw {
  addresses: Addresses
  raw: RawMessage
  rendered: { subject: string; html: string; text: string; warnings: string[] }
}

/** What is wrong with a request, one entry per wrong member. */
interface WrongRequest {
  errors: FieldError[]
}

/** Checks a request with a whole message. @throws message_too_large. */
export async function checkRaw(
  request: Partial<SendingRequest> & { raw: string },
  maxRecipients: number,
): Promise<CheckedRaw | WrongRequest> {
  const members = new Map<string, unknown>(Object.entries(request))
  const misplaced = Object.keys(composed)
    .filter((field) => members.get(field) !== undefined)
    .map((field) => ({ field, message: 'must not be given beside raw, which is the whole message' }))
  const decoded = decodeBase64(request.raw)
  if (decoded === null)
    return { errors: [...misplaced, { field: 'raw', message: `must be base64, not ${quote(request.raw)}` }] }
  const given = withoutLeadingMarks(decoded)
  const envelope = readRawEnvelope(given, request.envelope, maxRecipients)
  if ('errors' in envelope) return { errors: [...misplaced, ...envelope.errors] }
  const bytes = await withoutBlindCopies(withLineEnds(given))
  // Also with misplaced members: its code comes before theirs.
  assertSize(bytes.length)
  if (misplaced.length > 0) return { errors: misplaced }
  // Each reads the header for itself: this way of sending is rare, and none of them knows another.
  const facts = readHeaderFacts(bytes, envelope)
  const { from, to, to_names, cc, cc_names, bcc, reply_to, subject, tags, trace, thread } = facts
  const { html, text, attachments } = parseMessage(bytes)
  const { from: from_address, mail_from, rcpt_to } = envelope
  const recipients = { to, to_names, cc, cc_names, bcc, bcc_names: undefined, rcpt_to }
  return {
    addresses: { from, from_address, mail_from, reply_to, ...recipients },
    raw: { bytes, tags, trace, thread, attachment_count: attachments.length },
    rendered: { subject, html, text, warnings: [] },
  }
}

/** The members from which a message is composed: all but those that may be given beside `raw`. */
const composed = {
  from: true,
  to: true,
  cc: true,
  bcc: true,
  reply_to: true,
  subject: true,
  html: true,
  text: true,
  template_id: true,
  variables: true,
  data: true,
  rendering: true,
  headers: true,
  attachments: true,
} satisfies Record<Exclude<keyof SendingRequest, BesideRaw>, true>

type BesideRaw =
  | 'raw'
  | 'envelope'
  | 'metadata'
  | 'tags'
  | 'send_at'
  | 'tracking'
  | 'ignore_suppressions'
  | 'provider'

/** The address of From, and the envelope: as given, else from the header. */
function readRawEnvelope(
  bytes: Buffer,
  given: SendingRequest['envelope'],
  maxRecipients: number,
): { from: string; mail_from: string; rcpt_to: string[] } | WrongRequest {
  const header = readHeader(bytes)
  const found = senderIn(header)
  if ('problem' in found) return { errors: [{ field: 'raw', message: found.problem }] }
  const errors: FieldError[] = []
  const from = toBare('raw', found.sender, errors)
  const mail_from =
    given?.mail_from === undefined ? from : toBare('envelope.mail_from', given.mail_from, errors)
  const field = given?.rcpt_to ? 'envelope.rcpt_to' : 'raw'
  const named = given?.rcpt_to ?? ['to', 'cc', 'bcc'].flatMap((name) => addressesIn(header, name))
  const rcpt_to = distinct(named.map((address) => toBare(field, address, errors)))
  const none = 'names no recipient in To, Cc and Bcc; add one there or in envelope.rcpt_to'
  if (rcpt_to.length === 0) errors.push({ field: 'raw', message: none })
  const tooMany = `${rcpt_to.length} distinct recipients: at most ${maxRecipients} are allowed`
  if (rcpt_to.length > maxRecipients) errors.push({ field, message: tooMany })
  return errors.length > 0 ? { errors } : { from, mail_from, rcpt_to }
}

/** The one address of From; else what is wrong with the header. */
function senderIn(header: HeaderBlock): { sender: string } | { problem: string } {
  if (header.fields.length === 0)
    return { problem: 'has no header: give one message as it is in an .eml file (RFC 5322), in base64' }
  if (header.fields.length > maxGivenFields)
    return { problem: `must have at most ${maxGivenFields} header fields` }
  const [sender, ...others] = addressesIn(header, 'from')
  if (sender !== undefined && others.length === 0) return { sender }
  const count = sender === undefined ? 'none' : 'several'
  return { problem: `must have a From field with one address; it has ${count}` }
}

function addressesIn(header: HeaderBlock, name: string): string[] {
  return [...header.addresses(name).map(({ address }) => address), ...header.furtherAddresses(name)]
}

/** An address without its display name. Adds an error for a text that is no address, and gives `""` for it. */
function toBare(field: string, address: string, errors: FieldError[]): string {
  const result = normalizeAddress(address)
  if ('address' in result) return result.address
  errors.push({ field, message: `${quote(address)} ${result.problem}` })
  return ''
}

/** Without a byte order mark and the line `From …` of an mbox file, which would end up amid the fields. */
function withoutLeadingMarks(message: Buffer): Buffer {
  const text = message.subarray(message.subarray(0, 3).equals(byteOrderMark) ? 3 : 0)
  if (text.toString('latin1', 0, 5) !== 'From ') return text
  const end = text.indexOf(0x0a)
  return end === -1 ? text : text.subarray(end + 1)
}

/** Message-ID, Date and the signature are added, and the whole must stay below the maximum, at which reading stops. */
const maxGivenFields = maxFields - 3 - 1

const byteOrderMark = Buffer.from('\ufeff')

/** SMTP carries lines that end with CRLF only. */
function withLineEnds(message: Buffer): Buffer {
  const text = message.toString('latin1')
  const whole = /(?<!\r)\n/.test(text) ? Buffer.from(text.replace(/\r?\n/g, '\r\n'), 'latin1') : message
  // A message without a body may lack the empty line that ends its header.
  if (whole.includes('\r\n\r\n')) return whole
  return Buffer.concat([whole, Buffer.from(whole.at(-1) === 0x0a ? '\r\n' : '\r\n\r\n')])
}

async function withoutBlindCopies(message: Buffer): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of withoutBcc(Readable.from([message], { objectMode: false }))) pieces.push(piece)
  return Buffer.concat(pieces)
}
