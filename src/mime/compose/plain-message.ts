import { foldField } from '../headers/fold.ts'
import { canonicalLines, countBody, prefersBase64 } from './body-encoding.ts'
import type { MessageInput } from './message-input.ts'
import { endWithLine, writtenAtOnceBytes, type Encoders } from './write-node.ts'

/**
 * Writes the most frequent kind of message: text and HTML without attachments or further header fields, plain addresses, and
 * a subject in ASCII. The library makes several objects for each field, which takes four times as long.
 *
 * @param base  Makes the boundary unique.
 * @returns The bytes that the library gives; null for any other message.
 */
export function writePlainMessage(
  input: MessageInput,
  base: string,
  encoders: () => Promise<Encoders>,
): Promise<Buffer> | null {
  const { from, to, cc, reply_to, subject, message_id, date, html, text, headers, attachments } = input
  const isPlain =
    !headers &&
    !attachments?.length &&
    [from, to, cc, reply_to].every((field) => !field || plainAddresses.test(field)) &&
    (subject === '' || (plainSubject.test(subject) && !subject.includes('=?') && !/\S{200}/.test(subject))) &&
    plainId.test(message_id) &&
    (html !== '' || text !== '') &&
    html.length <= writtenAtOnceBytes &&
    text.length <= writtenAtOnceBytes
  if (!isPlain) return null
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
  if (counts.others === 0 && !/^.{77,}/m.test(content)) return encodedAs('7bit', content)
  if (prefersBase64(counts))
    return encodedAs('base64', base64.wrap(base64.encode(content), encodedLineLength))
  return encodedAs('quoted-printable', qp.wrap(qp.encode(content), encodedLineLength))
}

/** RFC 2045 section 6.7. */
const encodedLineLength = 76

const plainAddress = '[\\w+-]+(?:\\.[\\w+-]+)*@(?:[a-z0-9]+(?:-[a-z0-9]+)*\\.)+[a-z][a-z0-9]*'
const plainMailbox = `(?:${plainAddress}|\\w+(?: \\w+)* <${plainAddress}>)`
/** Mailboxes that need no quoting and no encoding, and whose domains need no conversion. */
const plainAddresses = new RegExp(`^${plainMailbox}(?:, ${plainMailbox})*$`)
/** A quote would be encoded. */
const plainSubject = /^[!#-~](?:[ !#-~]*[!#-~])?$/
const plainId = /^<[!-~]+>$/
