import { encodedSize } from '../attachments/attachments.ts'

/**
 * The least number of bytes that bodies take in a message, encoded as nodemailer does it: nearly all ASCII as it is or
 * as quoted-printable, anything else as base64. Soft line breaks are left out.
 *
 * @param enough  Where the answer is surely not beyond this, it is the number of characters.
 */
export function encodedBodySize(bodies: readonly string[], enough: number): number {
  const characters = bodies.reduce((sum, body) => sum + body.length, 0)
  // Three bytes for a character, and three for a byte, is the most that it takes: small mail is not counted through.
  return characters * 9 <= enough ? characters : bodies.reduce((sum, body) => sum + encoded(body), 0)
}

function encoded(body: string): number {
  let letters = 0
  let others = 0
  let lineEnds = 0
  let before = 0
  for (let i = 0; i < body.length; i++) {
    const code = body.charCodeAt(i)
    if (code >= 0x80) others++
    else if ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) letters++
    else if (code === 0x0a && before !== 0x0d) lineEnds++
    else if (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) others++
    before = code
  }
  const bytes = Buffer.byteLength(body)
  // Line ends become CRLF.
  if (others > 0 && others >= letters) return encodedSize(bytes + lineEnds)
  const asIs = body.length - others
  return bytes + lineEnds + 2 * (bytes - asIs)
}
