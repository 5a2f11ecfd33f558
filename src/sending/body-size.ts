import { encodedSize, maxMessageBytes } from '../mime/message-size.ts'
import { LocalpostError } from '../core/errors.ts'
import { countBody, prefersBase64 } from '../mime/compose/body-encoding.ts'

/** @throws message_too_large if a message of so many bytes is larger than any that is sent. */
export function assertSize(bytes: number): void {
  if (bytes <= maxMessageBytes) return
  const message = `The message would have ${bytes} bytes after encoding; the limit is ${maxMessageBytes} bytes.`
  throw new LocalpostError('message_too_large', message)
}

/**
 * The minimum number of bytes that bodies take in a message, with the encoding that nodemailer chooses: text that
 * is mostly ASCII is unencoded or quoted-printable, other text is base64. Soft line breaks are not counted.
 *
 * @param limit  If the bodies certainly fit in it, they are not counted: the result is only the number of characters, which is
 *   smaller.
 */
export function encodedBodySize(bodies: readonly string[], limit: number): number {
  const characters = bodies.reduce((sum, body) => sum + body.length, 0)
  // A character takes at most three bytes, and a byte at most three when encoded, so small mail need not be counted.
  return characters * 9 <= limit ? characters : bodies.reduce((sum, body) => sum + encodedBytes(body), 0)
}

function encodedBytes(body: string): number {
  const { letters, others, lineEnds } = countBody(body)
  const bytes = Buffer.byteLength(body)
  // Line ends become CRLF.
  if (others > 0 && prefersBase64({ letters, others })) return encodedSize(bytes + lineEnds)
  const asIs = body.length - others
  return bytes + lineEnds + 2 * (bytes - asIs)
}
