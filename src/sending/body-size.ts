import { encodedSize, maxMessageBytes } from '../mime/message-size.ts'
import { LocalpostError } from '../core/errors.ts'
import { countBody, prefersBase64 } from '../mime/compose/body-encoding.ts'
import type { TemplateContent } from '../templates/template.ts'

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

/** How many characters the check of a request works on at most: those of the request, and those that its placeholders may add. */
export function requestSize(input: unknown, template: TemplateContent | null): number {
  const size = textLength(input, 3)
  if (typeof input !== 'object' || input === null) return size
  const variables: unknown = Reflect.get(input, 'variables')
  if (typeof variables !== 'object' || variables === null) return size
  let longest = 0
  for (const value of Object.values(variables)) longest = Math.max(longest, textLength(value, 1))
  let placeholders = 0
  for (const name of ['subject', 'html', 'text'] as const) {
    for (const text of [Reflect.get(input, name), template?.[name]])
      if (typeof text === 'string') placeholders += bracesIn(text)
  }
  return size + placeholders * longest
}

function bracesIn(text: string): number {
  let count = 0
  for (let at = text.indexOf('{{'); at !== -1; at = text.indexOf('{{', at + 2)) count++
  return count
}

function textLength(value: unknown, levels: number): number {
  if (typeof value === 'string') return value.length
  if (levels === 0 || typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return 0
  return Object.values(value).reduce<number>((sum, member) => sum + textLength(member, levels - 1), 0)
}
