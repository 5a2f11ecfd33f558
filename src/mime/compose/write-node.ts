import type MimeNode from 'nodemailer/lib/mime-node'

/** The parts of nodemailer that encode bodies. */
export interface Encoders {
  base64: Pick<typeof import('nodemailer/lib/base64'), 'encode' | 'wrap'>
  qp: Pick<typeof import('nodemailer/lib/qp'), 'encode' | 'wrap'>
}

/** The longest line of an encoded body (RFC 2045 section 6.7). */
export const encodedLineLength = 76

/** More content than this in one part is written slice by slice, by nodemailer itself. */
export const writtenAtOnceBytes: number = 64 * 1024

/**
 * Writes a composed tree in one go. nodemailer writes each part through four streams, which for the few kilobytes of
 * most mail cost more than all the encoding.
 *
 * @returns The bytes that nodemailer's own stream gives, except that a soft line break may be elsewhere in a line that
 *   ends the body with spaces; null if content is large, not in memory, or sent unencoded.
 */
export function writeNode(node: MimeNode, encoders: Encoders): Buffer | null {
  const pieces: string[] = []
  rememberEncodings(node)
  if (!isAtHand(node)) return null
  pushPieces(node, pieces, encoders)
  return Buffer.from(endWithLine(pieces.join('')))
}

/** Unencoded content may lack its last line end. */
export function endWithLine(text: string): string {
  if (text.endsWith('\n')) return text
  return text.endsWith('\r') ? `${text}\n` : `${text}\r\n`
}

/** nodemailer would read the whole content at each call: the place `transfer encoding` in bench/places.mjs. */
function rememberEncodings(node: MimeNode): void {
  const encoding = node.getTransferEncoding()
  node.getTransferEncoding = () => encoding
  node.childNodes.forEach(rememberEncodings)
}

function isAtHand(node: MimeNode): boolean {
  const { content } = node
  return (
    (!content ||
      (typeof content === 'string' && content.length <= writtenAtOnceBytes) ||
      // Unencoded bytes cannot be joined as text.
      (Buffer.isBuffer(content) &&
        content.length <= writtenAtOnceBytes &&
        node.getTransferEncoding() === 'base64')) &&
    node.childNodes.every(isAtHand)
  )
}

function pushPieces(node: MimeNode, pieces: string[], { base64, qp }: Encoders): void {
  const { content, childNodes } = node
  const encoding = node.getTransferEncoding()
  pieces.push(node.buildHeaders(), '\r\n\r\n')
  if (content && (typeof content === 'string' || Buffer.isBuffer(content))) {
    if (encoding === 'base64') pieces.push(base64.wrap(base64.encode(content), encodedLineLength))
    else if (encoding === 'quoted-printable') pieces.push(qp.wrap(qp.encode(content), encodedLineLength))
    else pieces.push(content.toString())
  }
  // Only known after the header is built.
  const { multipart, boundary } = node
  if (!multipart || typeof boundary !== 'string') return
  for (const [index, child] of childNodes.entries()) {
    pieces.push(`${index > 0 ? '\r\n' : ''}--${boundary}\r\n`)
    pushPieces(child, pieces, { base64, qp })
  }
  pieces.push(`\r\n--${boundary}--\r\n`)
}
