import { encodedSize } from '../attachments/attachments.ts'
import { paced } from '../core/yield.ts'
import { countSteps, isBase64Shorter } from '../mime/compose/long-body.ts'

/**
 * The minimum number of bytes that bodies take in a message, with the encoding that nodemailer chooses: text that
 * is mostly ASCII is unencoded or quoted-printable, other text is base64. Soft line breaks are not counted.
 *
 * @param enough  If the size is certainly not above this, the result is the number of characters.
 * @returns A promise only if long bodies have to be counted.
 */
export function encodedBodySize(bodies: readonly string[], enough: number): number | Promise<number> {
  const characters = bodies.reduce((sum, body) => sum + body.length, 0)
  // A character takes at most three bytes, and a byte at most three when encoded, so small mail need not be counted.
  return characters * 9 <= enough ? characters : paced(sizeSteps(bodies))
}

function* sizeSteps(bodies: readonly string[]): Generator<undefined, number> {
  let size = 0
  for (const body of bodies) {
    const counts = yield* countSteps(body)
    size += encoded(body, counts)
  }
  return size
}

function encoded(
  body: string,
  { letters, others, lineEnds }: { letters: number; others: number; lineEnds: number },
): number {
  const bytes = Buffer.byteLength(body)
  // Line ends become CRLF.
  if (others > 0 && isBase64Shorter({ letters, others })) return encodedSize(bytes + lineEnds)
  const asIs = body.length - others
  return bytes + lineEnds + 2 * (bytes - asIs)
}
