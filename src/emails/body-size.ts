import { encodedSize } from '../attachments/attachments.ts'
import { paced } from '../core/yield.ts'
import { countSteps, isBase64Shorter } from '../mime/compose/long-body.ts'

/**
 * The least number of bytes that bodies take in a message, encoded as nodemailer does it: nearly all ASCII as it is or
 * as quoted-printable, anything else as base64. Soft line breaks are left out.
 *
 * @param enough  Where the answer is surely not beyond this, it is the number of characters.
 * @returns A promise only where long bodies are counted through.
 */
export function encodedBodySize(bodies: readonly string[], enough: number): number | Promise<number> {
  const characters = bodies.reduce((sum, body) => sum + body.length, 0)
  // Three bytes for a character, and three for a byte, is the most that it takes: small mail is not counted through.
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
