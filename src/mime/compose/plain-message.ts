import { foldField, needsEncoding } from '../headers/fold.ts'
import { canonicalLines, countBody, prefersBase64 } from './body-encoding.ts'
import type { MessageInput } from './message-input.ts'
import { encodedLineLength, endWithLine, writtenAtOnceBytes, type Encoders } from './write-node.ts'

/**
 * Writes the most frequent kind of message, byte for byte as nodemailer does: text and HTML without attachments or further
 * header fields. nodemailer makes several objects for each field, which takes four times as long.
 *
 * @param base  Makes the boundary unique.
 * @returns Null for a message that is not plain.
 */
export function writePlainMessage(
  input: MessageInput,
  base: string,
  encoders: () => Promise<Encoders>,
): Promise<Buffer> | null {
  if (!isPlain(input)) return null
  const { from, to, cc, reply_to, subject, message_id, date, html, text } = input
  const header = [
    ...field('From', from),
    ...field('To', to),
    ...field('Cc', cc),
    ...field('Reply-To', reply_to),
    ...field('Subject', subject),
    ...field('Message-ID', message_id),
    ...field('Date', date.toUTCString().replace('GMT', '+0000')),
  ].join('\r\n')
  return encoders().then((found) => writePlain(header, { html, text }, `--_NmP-${base}-Part_1`, found))
}

/** Whether nodemailer only folds the fields of a message, and writes its bodies at once. */
function isPlain({ headers, attachments, ...input }: MessageInput): boolean {
  const { from, to, cc, reply_to, subject, message_id, html, text } = input
  return (
    // These need further fields and parts.
    !headers &&
    !attachments?.length &&
    // nodemailer parses addresses and writes them anew: with quotes, encoded words, or another domain.
    [from, to, cc, reply_to].every((list) => !list || plainAddresses.test(list)) &&
    // It omits an empty subject, and encodes some others.
    (subject === '' || (plainSubject.test(subject) && !needsEncoding(subject))) &&
    // It adds missing brackets, and removes spaces.
    plainId.test(message_id) &&
    // Without a body it writes an empty part of its own.
    (html !== '' || text !== '') &&
    // It encodes a longer body as a stream, which ends lines at other places.
    html.length <= writtenAtOnceBytes &&
    text.length <= writtenAtOnceBytes
  )
}

function writePlain(
  header: string,
  { html, text }: Pick<MessageInput, 'html' | 'text'>,
  boundary: string,
  encoders: Encoders,
): Buffer {
  const bodies = [bodyOf('plain', text, encoders), bodyOf('html', html, encoders)].filter(
    ({ encoded }) => encoded !== '',
  )
  const [only, other] = bodies
  // nodemailer sets the encoding of a node before the fields that only the root has: here the one body is the root.
  const message =
    only && !other
      ? `${header}\r\n${only.encoding}\r\nMIME-Version: 1.0\r\n${only.type}\r\n\r\n${only.encoded}`
      : [
          `${header}\r\nMIME-Version: 1.0\r\n`,
          `Content-Type: multipart/alternative;\r\n boundary="${boundary}"\r\n\r\n`,
          bodies
            .map((one) => `--${boundary}\r\n${one.type}\r\n${one.encoding}\r\n\r\n${one.encoded}`)
            .join('\r\n'),
          `\r\n--${boundary}--\r\n`,
        ].join('')
  return Buffer.from(endWithLine(message), 'latin1')
}

function field(name: string, value: string | null | undefined): string[] {
  return value ? [foldField(`${name}: ${value}`)] : []
}

function bodyOf(
  subtype: string,
  body: string,
  { base64, qp }: Encoders,
): { type: string; encoding: string; encoded: string } {
  const content = canonicalLines(body)
  const counts = countBody(content)
  const type = `Content-Type: text/${subtype}; charset=utf-8`
  const encodedAs = (encoding: string, encoded: string): ReturnType<typeof bodyOf> => {
    return { type, encoding: `Content-Transfer-Encoding: ${encoding}`, encoded }
  }
  if (counts.others === 0 && !longLine.test(content)) return encodedAs('7bit', content)
  if (prefersBase64(counts))
    return encodedAs('base64', base64.wrap(base64.encode(content), encodedLineLength))
  return encodedAs('quoted-printable', qp.wrap(qp.encode(content), encodedLineLength))
}

/** A line that nodemailer does not send unencoded: longer than `encodedLineLength`. */
const longLine = /^.{77,}/m

const plainAddress = '[\\w+-]+(?:\\.[\\w+-]+)*@(?:[a-z0-9]+(?:-[a-z0-9]+)*\\.)+[a-z][a-z0-9]*'
const plainMailbox = `(?:${plainAddress}|\\w+(?: \\w+)* <${plainAddress}>)`
/** Mailboxes that need no quoting and no encoding, and whose domains need no conversion. */
const plainAddresses = new RegExp(`^${plainMailbox}(?:, ${plainMailbox})*$`)
/** ASCII without quotes, for which nodemailer makes the whole subject an encoded word. */
const plainSubject = /^[!#-~](?:[ !#-~]*[!#-~])?$/
const plainId = /^<[!-~]+>$/
